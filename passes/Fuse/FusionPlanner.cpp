// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Goes through a section and asks the strategies.
#include "passes/Fuse/FusionPlanner.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Fuse/FusableOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

const FusionPlan &FusionPlanner::plan() {
  FusionSection &section = state.plan.getSection();
  section.copyStored();
  section.copyScattered();
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
  separateContributions();
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

/// A kernel adds to a gradient once: code takes its results to lie apart, and
/// two that lie on one place would both add to what was there before. What else
/// a kernel makes for the gradient is stored, and a copy adds it.
void FusionPlanner::separateContributions() {
  llvm::DenseSet<std::pair<unsigned, Attribute>> added;
  for (Operation *op :
       SmallVector<Operation *>(state.plan.getSection().getOps())) {
    auto accumulate = dyn_cast<AccumulateOp>(op);
    std::optional<unsigned> number;
    if (accumulate) {
      number = state.plan.find(accumulate.getValue().getDefiningOp());
    }
    if (number && !added.insert({*number, accumulate.getSymbolAttr()}).second) {
      state.copies.copy(accumulate.getValue(), accumulate);
    }
  }
}
