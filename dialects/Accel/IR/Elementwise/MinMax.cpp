// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of maximum, minimum and rectifier.
#include "dialects/Accel/IR/GradientBuilder.h"

using namespace mlir;
using namespace accel;

/// The gradients of the larger (`wins` = GT) or smaller (LT) of two: each gets
/// it where it is chosen, and half of it where both are equal.
static void buildChoiceGradient(GradientBuilder &b, ComparePredicate wins,
                                Value lhs, Value rhs, Value gradient,
                                MutableArrayRef<Value> operandGradients) {
  Value tie = b.compare(ComparePredicate::EQ, lhs, rhs);
  Value shared = b.keepWhere(tie, b.mul(gradient, 0.5));
  operandGradients[0] = b.select(b.compare(wins, lhs, rhs), gradient, shared);
  operandGradients[1] = b.select(b.compare(wins, rhs, lhs), gradient, shared);
}

LogicalResult MaxOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  buildChoiceGradient(b, ComparePredicate::GT, getLhs(), getRhs(), gradient,
                      operandGradients);
  return success();
}

LogicalResult MinOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  buildChoiceGradient(b, ComparePredicate::LT, getLhs(), getRhs(), gradient,
                      operandGradients);
  return success();
}

LogicalResult ReluOp::buildGradient(OpBuilder &builder,
                                    ValueRange resultGradients,
                                    MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value positive = b.compare(ComparePredicate::GT, getOperand(), 0.0);
  operandGradients[0] = b.keepWhere(positive, gradient);
  return success();
}
