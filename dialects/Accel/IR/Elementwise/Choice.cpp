// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients and folds of the operations that pass elements on: select and cast.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SplatConstant.h"

using namespace mlir;
using namespace accel;

LogicalResult SelectOp::buildGradient(OpBuilder &builder,
                                      ValueRange resultGradients,
                                      MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value zero = b.constant(gradient, 0.0);
  operandGradients[1] = b.select(getCondition(), gradient, zero);
  operandGradients[2] = b.select(getCondition(), zero, gradient);
  return success();
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse()) {
    return getOnTrue();
  }
  std::optional<bool> chosen = splatBool(adaptor.getCondition());
  if (!chosen) {
    return {};
  }
  return *chosen ? getOnTrue() : getOnFalse();
}

void CastOp::build(OpBuilder &builder, OperationState &state, Value operand,
                   Type elementType) {
  build(builder, state, RankedTensorType::get(shapeOf(operand), elementType),
        operand);
}

LogicalResult CastOp::buildGradient(OpBuilder &builder,
                                    ValueRange resultGradients,
                                    MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  if (isFloatTensor(getOperand())) {
    operandGradients[0] =
        b.create<CastOp>(gradient, elementTypeOf(getOperand()));
  }
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? getOperand() : Value();
}
