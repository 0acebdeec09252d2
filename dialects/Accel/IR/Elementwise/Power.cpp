// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of powers and roots.
#include "dialects/Accel/IR/GradientBuilder.h"

using namespace mlir;
using namespace accel;

LogicalResult SqrtOp::buildGradient(OpBuilder &builder,
                                    ValueRange resultGradients,
                                    MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.div(b.mul(gradient, 0.5), getResult());
  return success();
}

LogicalResult RsqrtOp::buildGradient(OpBuilder &builder,
                                     ValueRange resultGradients,
                                     MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value cube = b.mul(getResult(), b.mul(getResult(), getResult()));
  operandGradients[0] = b.mul(b.mul(gradient, -0.5), cube);
  return success();
}

// lhs ^ 0 is 1 everywhere, at 0 too, where rhs * lhs ^ (rhs - 1) would not be a
// number; and 0 ^ rhs is 0 around every positive rhs, where the logarithm is
// infinite.
LogicalResult PowOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value slope =
      b.mul(getRhs(), b.create<PowOp>(getLhs(), b.add(getRhs(), -1.0)));
  Value constant = b.compare(ComparePredicate::EQ, getRhs(), 0.0);
  operandGradients[0] =
      b.mul(gradient, b.select(constant, b.constant(slope, 0.0), slope));

  Value growth = b.mul(getResult(), b.create<LogOp>(getLhs()));
  Value zero = b.compare(ComparePredicate::EQ, getLhs(), 0.0);
  Value notNegative = b.compare(ComparePredicate::GE, getRhs(), 0.0);
  Value atZero = b.create<AndOp>(zero, notNegative);
  operandGradients[1] =
      b.mul(gradient, b.select(atZero, b.constant(growth, 0.0), growth));
  return success();
}
