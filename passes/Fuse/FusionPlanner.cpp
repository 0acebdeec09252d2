// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Goes through a section and asks the strategies.
#include "passes/Fuse/FusionPlanner.h"

#include "passes/Fuse/FusableOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

const FusionPlan &FusionPlanner::plan() {
  FusionSection &section = state.plan.getSection();
  section.copyStored();
  section.isolateSinks();
  section.orderOps();
  section.numberOps();
  placeInOrder();
  state.plan.finishPlacement();
  placeProductEpilogues(state);
  placeTurnedCopies(state);
  recomputeRoundedValues(state);
  placeColumnSums();
  // What only served a sum that now has producers of its own is used by nobody.
  state.plan.eraseUnused();
  section.orderOps();
  placeSharedColumnSums(state);
  // Kernels that compute the same are one.
  for (Operation *op : section.getOps()) {
    setRecomputed(op, false);
  }
  return state.plan;
}

void FusionPlanner::placeInOrder() {
  std::unique_ptr<FusionStrategy> strategies[] = {
      createProductStrategy(state),    createAttentionStrategy(state),
      createGroupedStrategy(state),    createCopyStrategy(state),
      createConcatStrategy(state),     createRowReductionStrategy(state),
      createElementwiseStrategy(state)};
  const FusionSection &section = state.plan.getSection();
  // An operation in front of which a copy was put is met a second time.
  for (size_t i = 0; i < section.getOps().size(); ++i) {
    Operation *op = section.getOps()[i];
    if (state.plan.find(op)) {
      continue;
    }
    if (isSink(op)) {
      state.copies.copySinkOperand(op);
      continue;
    }
    auto *strategy = llvm::find_if(
        strategies, [&](auto &strategy) { return strategy->handles(op); });
    if (strategy != std::end(strategies)) {
      (*strategy)->place(op);
    }
  }
}

void FusionPlanner::placeColumnSums() {
  std::unique_ptr<FusionStrategy> sums = createColumnSumStrategy(state);
  for (Operation *op :
       SmallVector<Operation *>(state.plan.getSection().getOps())) {
    if (sums->handles(op)) {
      sums->place(op);
    }
  }
}
