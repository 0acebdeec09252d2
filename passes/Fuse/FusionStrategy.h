// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How operations of one kind get into kernels: a strategy for each kind.
#ifndef ACCEL_PASSES_FUSE_FUSIONSTRATEGY_H
#define ACCEL_PASSES_FUSE_FUSIONSTRATEGY_H

#include "passes/Fuse/FusionPlan.h"
#include "passes/Fuse/OperandCopies.h"

#include <memory>

namespace accel {

/// What strategies work on.
/// Borrows: the target.
struct FusionState {
  FusionState(llvm::ArrayRef<mlir::Operation *> section, const Target &target)
      : plan(section), target(target) {}

  FusionPlan plan;
  const Target &target;
  OperandCopies copies{plan, target};
};

/// Borrows: the state.
class FusionStrategy {
public:
  explicit FusionStrategy(FusionState &state)
      : plan(state.plan), target(state.target), copies(state.copies) {}
  virtual ~FusionStrategy() = default;

  /// Whether this strategy places `op`, which is in no group.
  virtual bool handles(mlir::Operation *op) const = 0;
  /// Puts `op` into a group of its own or into one that is there. Requires:
  /// what `op` reads is placed. May insert operations into the section, in
  /// front of `op`.
  virtual void place(mlir::Operation *op) = 0;

protected:
  FusionPlan &plan;
  const Target &target;
  OperandCopies &copies;
};

/// Element by element, in the loops of what they read.
std::unique_ptr<FusionStrategy> createElementwiseStrategy(FusionState &state);
/// Sums and maxima over rows, in the loop of what makes the rows.
std::unique_ptr<FusionStrategy> createRowReductionStrategy(FusionState &state);
/// Sums over rows for each column. Requires: everything else is placed, since
/// only then it is known which values are in memory anyway.
std::unique_ptr<FusionStrategy> createColumnSumStrategy(FusionState &state);
/// Attention, with the order in which its results are used.
std::unique_ptr<FusionStrategy> createAttentionStrategy(FusionState &state);
/// Products of rows with the matrices that they choose.
std::unique_ptr<FusionStrategy> createGroupedStrategy(FusionState &state);
/// Matrix products.
std::unique_ptr<FusionStrategy> createProductStrategy(FusionState &state);
/// Views that are copied to memory.
std::unique_ptr<FusionStrategy> createCopyStrategy(FusionState &state);
/// Rows put together from parts.
std::unique_ptr<FusionStrategy> createConcatStrategy(FusionState &state);

/// Moves operations that only wait for a product into its kernel, where the
/// target computes them while the sums are close. Requires: finishPlacement.
void placeProductEpilogues(FusionState &state);

/// Moves copies that transpose what a kernel computes element by element, in 8
/// bits, into that kernel, which then stores it both ways. Requires:
/// finishPlacement.
void placeTurnedCopies(FusionState &state);

/// Makes one kernel of those sums over columns of which one reads nothing that
/// another does not read. Requires: all of them are placed.
void placeSharedColumnSums(FusionState &state);

/// Copies operations that make one value of rounded ones, element by element,
/// into the kernels that read it, so that it is not stored. Requires:
/// finishPlacement.
void recomputeRoundedValues(FusionState &state);

} // namespace accel

#endif
