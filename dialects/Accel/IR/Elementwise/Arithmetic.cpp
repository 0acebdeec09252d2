// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients and folds of negation, absolute value and the four arithmetic
// operations.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/SplatConstant.h"

using namespace mlir;
using namespace accel;

LogicalResult NegOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.neg(gradient);
  return success();
}

LogicalResult AbsOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value positive = b.compare(ComparePredicate::GT, getOperand(), 0.0);
  Value negative = b.compare(ComparePredicate::LT, getOperand(), 0.0);
  operandGradients[0] =
      b.select(positive, gradient, b.keepWhere(negative, b.neg(gradient)));
  return success();
}

LogicalResult AddOp::buildGradient(OpBuilder &, ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  operandGradients[0] = gradient;
  operandGradients[1] = gradient;
  return success();
}

LogicalResult SubOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = gradient;
  operandGradients[1] = b.neg(gradient);
  return success();
}

LogicalResult MulOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.mul(gradient, getRhs());
  operandGradients[1] = b.mul(gradient, getLhs());
  return success();
}

LogicalResult DivOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value quotient = b.div(gradient, getRhs());
  operandGradients[0] = quotient;
  operandGradients[1] = b.neg(b.mul(quotient, getResult()));
  return success();
}

// Only folds that change no bit: x + 0.0 is not one of them, as it turns -0.0
// into 0.0.
OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), -0.0) ? getLhs() : Value();
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), 0.0) ? getLhs() : Value();
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), 1.0) ? getLhs() : Value();
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getRhs(), 1.0) ? getLhs() : Value();
}
