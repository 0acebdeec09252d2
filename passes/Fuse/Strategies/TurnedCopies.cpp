// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is cast to 8 bits for a product, and once more, transposed, for another
// one, is stored both ways by the kernel that casts it.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TurnedResult.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionStrategy.h"
#include "passes/Fuse/RowLoop.h"

using namespace mlir;
using namespace accel;

namespace {

/// A copy in a group of its own.
class TurnedCopy {
public:
  TurnedCopy(FusionState &state, Operation *copy)
      : plan(state.plan), target(state.target), copy(copy),
        source(plan.getSection().getRoot(copy->getOperand(0))) {}

  void place();

private:
  Decision isComputedByElement(const FusionGroup &group) const;
  Decision mayJoin(unsigned maker, int64_t columns) const;

  FusionPlan &plan;
  const Target &target;
  Operation *copy;
  Value source;
};

} // namespace

/// Whether all of `group` is computed element by element, in any order.
Decision TurnedCopy::isComputedByElement(const FusionGroup &group) const {
  if (group.kind != LoopKind::Rows || group.columns != 0) {
    return Decision::no("its loop is made for sums or products");
  }
  for (Operation *op : group.ops) {
    bool isByElement = getFusionKindOf(op) == FusionKind::Elementwise &&
                       !isViewOp(op) && !isa<DropoutOp, RandomNormalOp>(op) &&
                       getNumElements(op->getResult(0)) == group.elements;
    if (!isByElement) {
      return Decision::no("not all that it computes is element by element");
    }
    if (llvm::any_of(op->getUsers(), isSink)) {
      return Decision::no("it writes a symbol");
    }
  }
  return Decision::yes();
}

Decision TurnedCopy::mayJoin(unsigned maker, int64_t columns) const {
  const FusionGroup &group = plan.getGroup(maker);
  if (Decision decision = isComputedByElement(group); !decision) {
    return decision;
  }
  if (!fitsRows(plan.getSection(), group, columns)) {
    return Decision::no("what it reads does not lie in rows of that length");
  }
  bool isStored = plan.isReadBy(source, [&](Operation *user) {
    return user != copy && plan.find(user) != maker;
  });
  if (!isStored) {
    return Decision::no("nobody else reads it");
  }
  return target.mayJoin(
      {LoopKind::Rows, group.ops, group.elements / columns, columns}, copy,
      /*readsRows=*/false);
}

void TurnedCopy::place() {
  std::optional<unsigned> maker = plan.find(source.getDefiningOp());
  std::optional<TurnedView> view =
      maker ? getTurnedView(copy->getResult(0), source) : std::nullopt;
  if (!view) {
    return;
  }
  Decision decision = mayJoin(*maker, view->sourceColumns());
  if (decision && !plan.moveWithoutCycle(copy, *maker)) {
    decision = Decision::no("the kernel would wait for itself");
  }
  if (!decision) {
    return plan.refuse(copy, source, decision);
  }
  plan.fixColumns(*maker, view->sourceColumns());
}

void accel::placeTurnedCopies(FusionState &state) {
  for (unsigned i = 0; i < state.plan.getGroups().size(); ++i) {
    ArrayRef<Operation *> ops = state.plan.getGroup(i).ops;
    bool isCopy = ops.size() == 1 && isViewOp(ops.front()) &&
                  isFp8(elementTypeOf(ops.front()->getResult(0)));
    if (isCopy) {
      TurnedCopy(state, ops.front()).place();
    }
  }
}
