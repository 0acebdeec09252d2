// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshape: verification, folds and gradient.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SplatConstant.h"

using namespace mlir;
using namespace accel;

void ReshapeOp::build(OpBuilder &builder, OperationState &state, Value operand,
                      ArrayRef<int64_t> shape) {
  build(builder, state, RankedTensorType::get(shape, elementTypeOf(operand)),
        operand);
}

LogicalResult ReshapeOp::verify() {
  // reshape_c1
  if (failed(verifyElementType(*this, "result", getResult(),
                               elementTypeOf(getOperand())))) {
    return failure();
  }
  RankedTensorType from = getOperand().getType();
  RankedTensorType to = getType();
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() != to.getNumElements()) {
    return emitOpError() << "expected a result of " << from.getNumElements()
                         << " elements, as `operand` has, got "
                         << to.getNumElements() << " in shape "
                         << shapeText(to.getShape());
  }
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType() && getType().hasStaticShape()) {
    return getOperand();
  }
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getOperand());
    return getResult();
  }
  return resizeSplat(adaptor.getOperand(), getType());
}

LogicalResult
ReshapeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                         MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.reshapeLike(gradient, getOperand());
  return success();
}
