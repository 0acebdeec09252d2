// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of the exponential and of what is made of it: logarithm, hyperbolic
// tangent, logistic function and error function.
#include "dialects/Accel/IR/GradientBuilder.h"

#include <numbers>

using namespace mlir;
using namespace accel;

LogicalResult ExpOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.mul(gradient, getResult());
  return success();
}

LogicalResult LogOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.div(gradient, getOperand());
  return success();
}

LogicalResult TanhOp::buildGradient(OpBuilder &builder,
                                    ValueRange resultGradients,
                                    MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value square = b.mul(getResult(), getResult());
  operandGradients[0] = b.mul(gradient, b.sub(b.constant(square, 1.0), square));
  return success();
}

LogicalResult
SigmoidOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                         MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value other = b.sub(b.constant(getResult(), 1.0), getResult());
  operandGradients[0] = b.mul(gradient, b.mul(getResult(), other));
  return success();
}

LogicalResult ErfOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value bell = b.exp(b.neg(b.mul(getOperand(), getOperand())));
  operandGradients[0] =
      b.mul(gradient, b.mul(bell, 2.0 * std::numbers::inv_sqrtpi));
  return success();
}
