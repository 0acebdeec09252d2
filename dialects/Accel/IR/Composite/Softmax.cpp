// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax: verification and gradient.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

LogicalResult SoftmaxOp::verify() {
  // softmax_c1
  return verifyMinimumRank(*this, "operand", getOperand(), 1);
}

LogicalResult
SoftmaxOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                         MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  int64_t last = shapeOf(getResult()).size() - 1;
  Value total = b.sum(b.mul(gradient, getResult()), last);
  Value centered = b.sub(gradient, b.spread(total, gradient, last));
  operandGradients[0] = b.mul(getResult(), centered);
  return success();
}
