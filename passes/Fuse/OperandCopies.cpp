// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies values in front of those who read them.
#include "passes/Fuse/OperandCopies.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/StateMemory.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"

using namespace mlir;
using namespace accel;

void OperandCopies::copy(Value value, Operation *user) {
  FusionSection &section = plan.getSection();
  if (Operation *earlier = copies.lookup(value)) {
    user->replaceUsesOfWith(value, earlier->getResult(0));
    section.addOrder(earlier, user);
    return;
  }
  Operation *made = section.insertCopy(value, user);
  copies[value] = made;
  plan.start(made, LoopKind::Rows, getNumElements(value), 0, /*open=*/false);
}

void OperandCopies::copySinkOperand(Operation *sink) {
  if (auto write = dyn_cast<WriteOp>(sink); write && isFill(write)) {
    return;
  }
  for (Value operand : SmallVector<Value>(sink->getOperands())) {
    int64_t offset = 0;
    Value root = plan.getSection().getRoot(operand);
    if (!isContiguousPart(operand, root, offset) ||
        isSource(root.getDefiningOp())) {
      copy(operand, sink);
    }
  }
}

void OperandCopies::copyUnreadable(Operation *op) {
  for (Value operand : SmallVector<Value>(op->getOperands())) {
    Value root = plan.getSection().getRoot(operand);
    if (!target.readsInPlace(op, operand, root) ||
        isSource(root.getDefiningOp())) {
      copy(operand, op);
    }
  }
}
