// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients and folds of the operations that pass elements on: select, cast and
// stop_gradient; what a cast may convert.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"
#include "dialects/Accel/IR/SplatConstant.h"

using namespace mlir;
using namespace accel;

LogicalResult
StopGradientOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                              MutableArrayRef<Value> operandGradients) {
  return success(); // The operand gets none.
}

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

/// An 8-bit float, or null.
static const SmallFloat *getByteFloat(Type element) {
  const SmallFloat *format = SmallFloat::get(element);
  return format && format->getWidth() == 8 ? format : nullptr;
}

void CastOp::build(OpBuilder &builder, OperationState &state, Value operand,
                   Type elementType, bool saturate) {
  const SmallFloat *format = getByteFloat(elementType);
  build(builder, state, RankedTensorType::get(shapeOf(operand), elementType),
        operand, saturate || (format && !format->isScale));
}

LogicalResult CastOp::verify() {
  Type from = elementTypeOf(getOperand());
  Type to = elementTypeOf(getResult());
  // cast_c1
  if ((getByteFloat(to) && !isa<FloatType>(from)) ||
      (getByteFloat(from) && !isa<FloatType>(to))) {
    return emitOpError()
           << "expected a cast between an 8-bit float and another "
              "float, got one from "
           << from << " to " << to << ": cast to f32 in between";
  }
  // cast_c2
  const SmallFloat *format = SmallFloat::get(to);
  if (getSaturate() && (!format || format->isScale)) {
    return emitOpError() << "expected `saturate` on casts to bf16, f16, "
                            "f8E4M3FN and f8E5M2 only, got it on one to "
                         << to;
  }
  if (!getSaturate() && getByteFloat(to) && !format->isScale) {
    return emitOpError() << "expected `saturate` on a cast to " << to
                         << ", got none: such casts always saturate";
  }
  return success();
}

LogicalResult CastOp::buildGradient(OpBuilder &builder,
                                    ValueRange resultGradients,
                                    MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  Type from = elementTypeOf(getOperand());
  Type to = elementTypeOf(getResult());
  if (getByteFloat(from) || getByteFloat(to)) {
    return emitOpError()
           << "expected no 8-bit floats before Differentiate, got "
              "a cast from "
           << from << " to " << to << ", which has no gradient";
  }
  GradientBuilder b(builder, *this);
  if (isFloatTensor(getOperand())) {
    operandGradients[0] = b.create<CastOp>(gradient, from);
  }
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  // With `saturate` an infinity does not stay one.
  bool isSame = getOperand().getType() == getType() && !getSaturate();
  return isSame ? getOperand() : Value();
}
