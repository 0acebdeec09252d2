// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether kernels would wait for each other in a cycle.
#ifndef ACCEL_PASSES_FUSE_FUSIONCYCLES_H
#define ACCEL_PASSES_FUSE_FUSIONCYCLES_H

#include "passes/Fuse/EarliestReached.h"

namespace accel {

class FusionPlan;

/// Keeps a group from waiting for itself through an operation outside it.
/// Whether it has succeeded KernelOrder finds out by itself.
/// Borrows: the plan.
class FusionCycles {
public:
  explicit FusionCycles(const FusionPlan &plan);

  /// Whether groups `numbers` and `op`, made one, would depend on themselves
  /// through somebody else.
  bool close(llvm::ArrayRef<unsigned> numbers, mlir::Operation *op) const;

  /// From now on operations behind the last one that was placed are in groups,
  /// too.
  void finishPlacement();
  /// `op`, and perhaps others of its group, have moved there. Requires:
  /// finishPlacement.
  void moved(mlir::Operation *op) { earliest.moved(op); }

private:
  using Members = llvm::DenseSet<mlir::Operation *>;

  void
  collectDependents(mlir::Operation *op,
                    llvm::SmallVectorImpl<mlir::Operation *> &dependents) const;
  bool waitsForOthers(mlir::Operation *op, const Members &members) const;
  size_t findLastEntry(mlir::Operation *op, const Members &members) const;
  size_t firstBehind(mlir::Operation *outside) const;

  const FusionPlan &plan;
  const SectionGraph &graph;
  EarliestReached earliest;
  bool allPlaced = false; ///< every operation that has a group is in it
};

} // namespace accel

#endif
