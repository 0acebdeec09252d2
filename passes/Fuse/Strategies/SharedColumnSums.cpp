// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over the rows of the same tensors share a kernel, which reads these
// once: those of a batch norm's gradient, and those of a depthwise
// convolution's weights, one for each element of a window.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"
#include "passes/Fuse/FusionStrategy.h"

#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace accel;

namespace {

class SharedColumnSums {
public:
  explicit SharedColumnSums(FusionState &state)
      : plan(state.plan), target(state.target) {}

  /// Moves group `number` into the first kernel that can take it.
  void place(unsigned number);

private:
  using Tensors = llvm::SetVector<Value>;

  Tensors getRead(const FusionGroup &group) const;
  bool needs(const FusionGroup &group, const FusionGroup &other) const;
  bool join(unsigned number, const Tensors &read, unsigned kernel);

  FusionPlan &plan;
  const Target &target;
  DenseMap<unsigned, Tensors> readBy;
  DenseMap<Value, SmallVector<unsigned>> kernelsOf; ///< that read a tensor
};

} // namespace

/// Tensors from other kernels with an element for each of the loop.
SharedColumnSums::Tensors
SharedColumnSums::getRead(const FusionGroup &group) const {
  Tensors read;
  for (Operation *op : group.ops) {
    for (Value operand : op->getOperands()) {
      Value root = plan.getSection().getRoot(operand);
      Operation *maker = root.getDefiningOp();
      if (getNumElements(operand) == group.elements && !isSource(maker) &&
          !llvm::is_contained(group.ops, maker)) {
        read.insert(root);
      }
    }
  }
  return read;
}

/// Whether `group` reads sums that `other` makes: they are there when all rows
/// have been walked.
bool SharedColumnSums::needs(const FusionGroup &group,
                             const FusionGroup &other) const {
  return llvm::any_of(group.ops, [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *maker = plan.getSection().getRoot(operand).getDefiningOp();
      return maker && llvm::is_contained(other.ops, maker);
    });
  });
}

/// What one of them reads and the other does not would have to stay in memory
/// until what the other one reads is there.
bool SharedColumnSums::join(unsigned number, const Tensors &read,
                            unsigned kernel) {
  const FusionGroup &group = plan.getGroup(number);
  const FusionGroup &other = plan.getGroup(kernel);
  Tensors &theirs = readBy[kernel];
  bool isPart =
      llvm::set_is_subset(read, theirs) || llvm::set_is_subset(theirs, read);
  if (!isPart || other.elements != group.elements ||
      other.columns != group.columns || needs(group, other) ||
      needs(other, group) ||
      !target.mayJoin(
          {LoopKind::Columns, other.ops, other.rows(), other.columns},
          group.ops.front(), /*readsRows=*/false) ||
      !plan.uniteWithoutCycle(number, kernel)) {
    return false;
  }
  theirs.insert_range(read);
  return true;
}

void SharedColumnSums::place(unsigned number) {
  Tensors read = getRead(plan.getGroup(number));
  for (Value tensor : read) {
    for (unsigned kernel : kernelsOf[tensor]) {
      if (join(number, read, kernel)) {
        return;
      }
    }
  }
  for (Value tensor : read) {
    kernelsOf[tensor].push_back(number);
  }
  readBy[number] = std::move(read);
}

void accel::placeSharedColumnSums(FusionState &state) {
  state.plan.finishPlacement();
  SharedColumnSums sums(state);
  for (unsigned i = 0; i < state.plan.getGroups().size(); ++i) {
    const FusionGroup &group = state.plan.getGroup(i);
    bool isOfSums = group.kind == LoopKind::Columns &&
                    llvm::none_of(group.ops, llvm::IsaPred<ScatterAddOp>);
    if (isOfSums) {
      sums.place(i);
    }
  }
}
