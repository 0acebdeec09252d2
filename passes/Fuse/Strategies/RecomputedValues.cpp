// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed of rounded values, element by element, need not be stored
// for the kernels that read it, if one of the values that it is computed of is
// rounded: that one is smaller.
//
// A gradient that needs the derivative of an activation, or the operand of a
// norm less its mean, would otherwise find it in f32, twice the bytes of what
// it is computed of.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionStrategy.h"
#include "passes/Fuse/RowLoop.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <functional>

using namespace mlir;
using namespace accel;

namespace {

/// Copies the operations that make one value into the kernels of its readers.
class RecomputedValue {
public:
  RecomputedValue(FusionState &state, Value value, unsigned from)
      : plan(state.plan), target(state.target), value(value), from(from) {}

  void recompute();

private:
  llvm::SmallSetVector<unsigned, 2> findReaders() const;
  bool collect(Value operand);
  bool isLeaf(Value root) const;
  SmallVector<Operation *> getSlice() const;
  bool isReadInOrder(unsigned reader) const;
  bool fitsReader(unsigned reader) const;
  void cloneInto(unsigned reader);
  void rewire(Value old, Value made, unsigned reader);

  FusionPlan &plan;
  const Target &target;
  Value value;
  unsigned from;
  llvm::SetVector<Operation *> slice;
  bool readsRounded = false;
};

} // namespace

/// The groups that read the value: none if its own does, too many do, or
/// somebody who is in none.
llvm::SmallSetVector<unsigned, 2> RecomputedValue::findReaders() const {
  // A kernel, and the sum over its columns, whose prologue is still a group.
  constexpr size_t kMostReaders = 2;
  llvm::SmallSetVector<unsigned, 2> readers;
  bool isNeeded = plan.isReadBy(value, [&](Operation *user) {
    std::optional<unsigned> group = plan.find(user);
    if (group) {
      readers.insert(*group);
    }
    return !group || *group == from;
  });
  if (isNeeded || readers.size() > kMostReaders) {
    readers.clear();
  }
  return readers;
}

/// Whether the value of `root` is, or may be, in memory when the reader runs:
/// it comes from elsewhere, is one number for a row, or is rounded.
bool RecomputedValue::isLeaf(Value root) const {
  Operation *producer = root.getDefiningOp();
  return plan.find(producer) != from ||
         getNumElements(root) < getNumElements(value) ||
         SmallFloat::get(elementTypeOf(root));
}

/// Adds what makes `operand` of leaves; false if it is not made of them element
/// by element.
bool RecomputedValue::collect(Value operand) {
  Value root = plan.getSection().getRoot(operand);
  Operation *producer = root.getDefiningOp();
  if (isSource(producer)) {
    return true;
  }
  readsRounded |= bool(SmallFloat::get(elementTypeOf(root)));
  if (isLeaf(root)) {
    return true;
  }
  constexpr size_t kMostOperations = 32;
  if (isa<DropoutOp, RandomNormalOp>(producer) ||
      getFusionKindOf(producer) != FusionKind::Elementwise ||
      getNumElements(root) != getNumElements(value) ||
      slice.size() >= kMostOperations) {
    return false;
  }
  if (getAccessRelation(operand, root).kind != AccessKind::Identity) {
    return false; // where it is read it is not what was computed there
  }
  return !slice.insert(producer) ||
         llvm::all_of(producer->getOperands(),
                      [&](Value each) { return collect(each); });
}

/// What was collected, in program order.
SmallVector<Operation *> RecomputedValue::getSlice() const {
  SmallVector<Operation *> ops(slice.begin(), slice.end());
  llvm::sort(ops, [](Operation *left, Operation *right) {
    return left->isBeforeInBlock(right);
  });
  return ops;
}

/// Whether group `reader` reads elements of the value only where it computes
/// that element of its own.
bool RecomputedValue::isReadInOrder(unsigned reader) const {
  for (Operation *op : plan.getGroup(reader).ops) {
    for (Value operand : op->getOperands()) {
      if (plan.getSection().getRoot(operand) == value &&
          getAccessRelation(operand, value).kind != AccessKind::Identity) {
        return false;
      }
    }
  }
  return true;
}

/// Whether the reader's loop can serve all of them.
bool RecomputedValue::fitsReader(unsigned reader) const {
  const FusionGroup &group = plan.getGroup(reader);
  bool isProduct = group.kind == LoopKind::Product;
  if ((group.kind != LoopKind::Rows && !isProduct) ||
      group.elements != getNumElements(value) || !isReadInOrder(reader)) {
    return false;
  }
  SmallVector<Operation *> ops(group.ops);
  SmallVector<Operation *> recomputed = getSlice();
  for (Operation *op : llvm::reverse(recomputed)) {
    Decision decision =
        isProduct
            ? target.mayFollow(cast<MatmulOp>(group.ops.front()), op)
            : target.mayJoin({LoopKind::Rows, ops, group.rows(), group.columns},
                             op, /*readsRows=*/false);
    if (!decision ||
        (group.columns != 0 &&
         !fitRows(plan.getSection(), op, group.elements, group.columns)
              .fits())) {
      return false;
    }
    ops.push_back(op);
  }
  return true;
}

/// In front of what makes the value now. Views in between are copied as well:
/// others may use them.
void RecomputedValue::cloneInto(unsigned reader) {
  Operation *producer = value.getDefiningOp();
  OpBuilder builder(producer);
  IRMapping made;
  SmallVector<Operation *> clones;
  auto clone = [&](Operation *op) {
    clones.push_back(builder.clone(*op, made));
    if (!isViewOp(op)) {
      plan.join(clones.back(), reader);
    }
  };
  std::function<void(Value)> cloneViews = [&](Value operand) {
    Value root = plan.getSection().getRoot(operand);
    if (operand != root && made.contains(root) && !made.contains(operand)) {
      cloneViews(operand.getDefiningOp()->getOperand(0));
      clone(operand.getDefiningOp());
    }
  };
  for (Operation *op : getSlice()) {
    llvm::for_each(op->getOperands(), cloneViews);
    clone(op);
  }
  plan.getSection().insertBefore(producer, clones);
  rewire(value, made.lookup(value), reader);
}

/// Group `reader` reads `made` in place of `old`, also through views.
void RecomputedValue::rewire(Value old, Value made, unsigned reader) {
  for (OpOperand &use : llvm::make_early_inc_range(old.getUses())) {
    Operation *user = use.getOwner();
    if (plan.find(user) == reader) {
      use.set(made);
      continue;
    }
    bool isRead = isViewOp(user) && !plan.find(user) &&
                  llvm::any_of(user->getResults(), [&](Value view) {
                    return plan.isReadBy(view, [&](Operation *each) {
                      return plan.find(each) == reader;
                    });
                  });
    if (isRead) {
      Operation *view = OpBuilder(user).clone(*user);
      view->setOperand(use.getOperandNumber(), made);
      plan.getSection().insertBefore(user, view);
      for (auto [before, now] :
           llvm::zip_equal(user->getResults(), view->getResults())) {
        rewire(before, now, reader);
      }
    }
  }
}

void RecomputedValue::recompute() {
  llvm::SmallSetVector<unsigned, 2> readers = findReaders();
  bool fits = !readers.empty() && !isLeaf(value) && collect(value) &&
              readsRounded && llvm::all_of(readers, [&](unsigned reader) {
                return fitsReader(reader);
              });
  if (fits) {
    llvm::for_each(readers, [&](unsigned reader) { cloneInto(reader); });
  }
}

void accel::recomputeRoundedValues(FusionState &state) {
  for (unsigned i = 0; i < state.plan.getGroups().size(); ++i) {
    for (Operation *op : SmallVector<Operation *>(state.plan.getGroup(i).ops)) {
      if (op->getNumResults() == 1 && elementTypeOf(op->getResult(0)).isF32()) {
        RecomputedValue(state, op->getResult(0), i).recompute();
      }
    }
  }
  // Nobody reads what was made before. Sums over columns, which are placed
  // behind this, ask neither for positions nor for cycles.
  state.plan.eraseUnused();
}
