// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands are found through views and sources, which are part of the kernel.
#include "passes/Fuse/KernelInterface.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/KernelOperands.h"
#include "passes/Analysis/OperandAlignment.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"

using namespace mlir;
using namespace accel;

/// What kernels read, by root: the values that they make views of.
using Reads = llvm::MapVector<Value, SmallVector<Value>>;

/// Adds `value` to what is read of its root, unless that is a member of group
/// `number` or a source.
static void collectRead(const FusionPlan &plan, unsigned number, Value value,
                        Reads &reads) {
  Value root = plan.getSection().getRoot(value);
  Operation *producer = root.getDefiningOp();
  if (plan.find(producer) != number && !isSource(producer)) {
    reads[root].push_back(value);
  }
}

/// Whether `value` is a part of `root` that lies in one piece of memory, which
/// begins where any access may.
static bool isPart(Value value, Value root) {
  int64_t offset = 0;
  Type element = getElementTypeOrSelf(root);
  return getElementTypeOrSelf(value) == element &&
         getNumElements(value) < getNumElements(root) &&
         isContiguousPart(value, root, offset) &&
         offset * getStoredBytes(element) % kLongestAccess == 0;
}

/// The largest such part on the way from `root` to `value`; else `root`.
static Value findPart(Value value, Value root) {
  Value found = root;
  for (; value != root; value = value.getDefiningOp()->getOperand(0)) {
    found = isPart(value, root) ? value : found;
  }
  return found;
}

/// What a kernel takes of `root`. One that reads a part that lies in one piece,
/// and nothing else, gets that: it need not say which part it is, so that the
/// steps of a recurrent layer are one kernel. Of symbols and inputs kernels
/// take all.
static Value findInput(Value root, ArrayRef<Value> reads) {
  if (!isa_and_present<FusionOpInterface, func::CallOp>(root.getDefiningOp())) {
    return root;
  }
  Value first = findPart(reads.front(), root);
  bool isOnePart = llvm::all_of(
      reads, [&](Value value) { return findPart(value, root) == first; });
  return isOnePart ? first : root;
}

/// Whether all that becomes of `result` is that the section adds it to
/// something. Behind what ranks do together a kernel of its own adds it.
static bool isAccumulatedHere(const FusionPlan &plan, Value result) {
  return result.hasOneUse() && isa<AccumulateOp>(*result.user_begin()) &&
         plan.getSection().getGraph().contains(*result.user_begin());
}

KernelInterface KernelInterface::find(const FusionPlan &plan, unsigned number) {
  KernelInterface interface;
  Reads reads;
  for (Operation *op : plan.getGroup(number).ops) {
    for (Value operand : op->getOperands()) {
      collectRead(plan, number, operand, reads);
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
  for (const auto &[root, values] : reads) {
    interface.inputs.insert(findInput(root, values));
  }
  return interface;
}
