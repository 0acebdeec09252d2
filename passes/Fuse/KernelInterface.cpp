// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands are found through views and sources, which are part of the kernel.
#include "passes/Fuse/KernelInterface.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"

using namespace mlir;
using namespace accel;

/// Adds the root of what `value` is made of to `inputs`, unless it is a member
/// of group `number` or a source.
static void collectInput(const FusionPlan &plan, unsigned number, Value value,
                         llvm::SetVector<Value> &inputs) {
  Value root = plan.getSection().getRoot(value);
  Operation *producer = root.getDefiningOp();
  if (plan.find(producer) != number && !isSource(producer)) {
    inputs.insert(root);
  }
}

/// Whether all that becomes of `result` is that the section adds it to
/// something. Behind what ranks do together a kernel of its own adds it.
static bool isAccumulatedHere(const FusionPlan &plan, Value result) {
  return result.hasOneUse() && isa<AccumulateOp>(*result.user_begin()) &&
         plan.getSection().getGraph().contains(*result.user_begin());
}

KernelInterface KernelInterface::find(const FusionPlan &plan, unsigned number) {
  KernelInterface interface;
  for (Operation *op : plan.getGroup(number).ops) {
    for (Value operand : op->getOperands()) {
      collectInput(plan, number, operand, interface.inputs);
    }
    for (Value result : op->getResults()) {
      bool isCopied =
          !isViewOp(op) || plan.getSection().getRoot(result) == result;
      if (isCopied && plan.isUsedOutside(result, number)) {
        interface.outputs.push_back(result);
        interface.accumulates.push_back(isAccumulatedHere(plan, result));
      }
    }
  }
  return interface;
}

void KernelInterface::replaceInput(Value value, Value replacement) {
  if (!inputs.contains(value)) {
    return;
  }
  llvm::SetVector<Value> replaced;
  for (Value input : inputs) {
    replaced.insert(input == value ? replacement : input);
  }
  inputs = std::move(replaced);
}
