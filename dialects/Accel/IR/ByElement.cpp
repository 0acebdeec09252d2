// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By what an operation says of how it can be fused.
#include "dialects/Accel/IR/ByElement.h"

#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;

namespace accel {

bool isComputedByElement(Operation *op) {
  auto fusion = dyn_cast_or_null<FusionOpInterface>(op);
  return fusion && fusion.getFusionKind() == FusionKind::Elementwise &&
         op->getNumResults() == 1 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return shapeOf(operand) == shapeOf(op->getResult(0));
         });
}

Value buildLike(OpBuilder &builder, Operation *op, ValueRange operands,
                ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  OperationState state(op->getLoc(), op->getName(), operands, type.clone(shape),
                       op->getAttrs());
  return builder.create(state)->getResult(0);
}

} // namespace accel
