// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels of values, and where results and worthwhile intermediate values are
// stored.
#include "passes/Lower/Loops/SweepPlan.h"

#include "passes/Analysis/TensorAccess.h"

using namespace mlir;
using namespace accel;

static bool isRowReduction(Operation *op) {
  return isa_and_nonnull<ReduceSumOp, ReduceMaxOp, ReduceMinOp>(op);
}

/// A value under the names that reshapes give it.
static Value throughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    value = reshape.getOperand();
  }
  return value;
}

SweepPlan::SweepPlan(func::FuncOp kernel, const IterationDomain &shape)
    : kernel(kernel), shape(shape),
      results(kernel.getBody().front().getTerminator()->getOperands()) {
  auto stepAt = [&](unsigned step) -> Step & {
    steps.resize(std::max<size_t>(steps.size(), step + 1));
    return steps[step];
  };
  for (Operation &op : kernel.getBody().front()) {
    if (isRowReduction(&op)) {
      stepAt(levelOf(op.getOperand(0))).reductions.push_back(&op);
    }
  }
  for (Value result : results) {
    if (isFull(result)) {
      stepAt(levelOf(result));
    }
  }
  placeResults();
  placeIntermediates();
}

bool SweepPlan::isFull(Value value) const {
  return getNumElements(value) == shape.elements;
}

unsigned SweepPlan::levelOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    return 0;
  }
  if (auto known = levels.find(value); known != levels.end()) {
    return known->second;
  }
  unsigned level = 0;
  for (Value operand : op->getOperands()) {
    level = std::max(level, levelOf(operand));
  }
  return levels[value] = level + (isRowReduction(op) ? 1 : 0);
}

/// What is still to be computed when `step` is done.
SweepPlan::ValueSet SweepPlan::targetsAfter(unsigned step) const {
  ValueSet targets;
  for (const Step &later : ArrayRef(steps).drop_front(step + 1)) {
    for (Operation *reduction : later.reductions) {
      targets.push_back(reduction->getOperand(0));
    }
    for (const Store &store : later.stores) {
      targets.push_back(store.tensor);
    }
  }
  return targets;
}

/// Whether computing `target` reads an operand that a result may lie on.
bool SweepPlan::readsOperands(Value target, ArrayRef<Value> stored) const {
  if (llvm::is_contained(stored, target)) {
    return false;
  }
  Operation *op = target.getDefiningOp();
  if (!op) {
    return isFull(target);
  }
  if (isRowReduction(op)) {
    return false;
  }
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return readsOperands(operand, stored);
  });
}

/// All results begin in the last step; then those of an early step move there
/// if they may.
void SweepPlan::placeResults() {
  if (steps.empty()) {
    return;
  }
  for (auto [i, result] : llvm::enumerate(results)) {
    if (isFull(result)) {
      steps.back().stores.push_back({result, static_cast<unsigned>(i), true});
    }
  }
  ValueSet stored;
  for (unsigned step = 0; step + 1 < steps.size(); ++step) {
    SmallVector<Store> early, late;
    for (const Store &store : steps.back().stores) {
      (levelOf(store.tensor) <= step ? early : late).push_back(store);
    }
    SmallVector<Store> before = steps.back().stores;
    steps.back().stores = late;
    ValueSet candidates = stored;
    for (const Store &store : early) {
      if (!isAccumulated(kernel, store.result)) {
        candidates.append({store.tensor, throughReshapes(store.tensor)});
      }
    }
    if (llvm::any_of(targetsAfter(step), [&](Value target) {
          return readsOperands(target, candidates);
        })) {
      steps.back().stores = before;
      continue;
    }
    steps[step].stores = early;
    stored = candidates;
  }
}

bool SweepPlan::isExpensive(Value value, ArrayRef<Value> stored) {
  Operation *op = value.getDefiningOp();
  if (!op || isRowReduction(op) || llvm::is_contained(stored, value)) {
    return false;
  }
  if (isa<ExpOp, LogOp, TanhOp, ErfOp, SigmoidOp, PowOp, SinOp, CosOp,
          DropoutOp, RandomNormalOp>(op)) {
    return isFull(value);
  }
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isExpensive(operand, stored);
  });
}

/// The values closest to `target` that `step` can compute and that are worth
/// keeping.
void SweepPlan::collectWorthStoring(Value target, unsigned step,
                                    ArrayRef<Value> stored, ValueSet &found) {
  if (!isExpensive(target, stored) || llvm::is_contained(found, target)) {
    return;
  }
  Operation *op = target.getDefiningOp();
  if (levelOf(target) <= step && isFull(target) && !isViewOp(op)) {
    found.push_back(target);
    return;
  }
  for (Value operand : op->getOperands()) {
    collectWorthStoring(operand, step, stored, found);
  }
}

void SweepPlan::placeIntermediates() {
  if (steps.size() < 2) {
    return;
  }
  unsigned step = steps.size() - 2;
  ValueSet stored;
  for (const Step &earlier : ArrayRef(steps).drop_back()) {
    for (const Store &store : earlier.stores) {
      if (!isAccumulated(kernel, store.result)) {
        stored.append({store.tensor, throughReshapes(store.tensor)});
      }
    }
  }
  ValueSet worthwhile;
  for (Value target : targetsAfter(step)) {
    collectWorthStoring(target, step, stored, worthwhile);
  }
  SmallVector<Store> free(steps.back().stores);
  llvm::erase_if(free, [&](const Store &store) {
    return isAccumulated(kernel, store.result);
  });
  SmallVector<Store> chosen;
  for (Value value : worthwhile) {
    auto *place = llvm::find_if(free, [&](const Store &store) {
      return getElementTypeOrSelf(store.tensor.getType()) ==
             getElementTypeOrSelf(value.getType());
    });
    if (place == free.end()) {
      return;
    }
    chosen.push_back({value, place->result, false});
    stored.push_back(value);
    free.erase(place);
  }
  if (llvm::none_of(targetsAfter(step), [&](Value target) {
        return readsOperands(target, stored);
      })) {
    steps[step].stores.append(chosen);
  }
}
