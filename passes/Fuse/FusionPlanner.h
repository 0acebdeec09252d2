// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fusion planner: which operations of a straight-line section share a
// kernel.
#ifndef ACCEL_PASSES_FUSE_FUSIONPLANNER_H
#define ACCEL_PASSES_FUSE_FUSIONPLANNER_H

#include "passes/Fuse/FusionPlan.h"
#include "passes/Fuse/FusionStrategy.h"

namespace accel {

/// Plans one section: operations of a block between (and without) its loops.
/// Greedy, in program order: the strategy for its kind places each operation,
/// in the groups of what it reads where one loop can serve both and no cycle
/// arises. KernelOrder shows independently that there is none.
/// Borrows: the operations and the target.
class FusionPlanner {
public:
  FusionPlanner(llvm::ArrayRef<mlir::Operation *> section, const Target &target)
      : state(section, target) {}

  /// Plans. May insert operations (copies in front of sinks, private producers
  /// of column sums) into the section.
  const FusionPlan &plan();

private:
  void placeInOrder();
  void placeColumnSums();
  void separateContributions();

  FusionState state;
};

} // namespace accel

#endif
