// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of sine and cosine.
#include "dialects/Accel/IR/GradientBuilder.h"

using namespace mlir;
using namespace accel;

LogicalResult SinOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.mul(gradient, b.create<CosOp>(getOperand()));
  return success();
}

LogicalResult CosOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.neg(b.mul(gradient, b.create<SinOp>(getOperand())));
  return success();
}
