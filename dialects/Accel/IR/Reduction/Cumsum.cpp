// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running sum: verification and gradient.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

LogicalResult CumsumOp::verify() {
  // cumsum_c1
  return verifyAxis(*this, "axis", getAxis(), shapeOf(getOperand()).size());
}

// An element counts in the sums at and after it, so its gradient is the running
// sum from the other end.
LogicalResult CumsumOp::buildGradient(OpBuilder &builder,
                                      ValueRange resultGradients,
                                      MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  UnitAttr reverse = getReverse() ? UnitAttr() : builder.getUnitAttr();
  operandGradients[0] =
      b.create<CumsumOp>(gradient, getAxisAttr(), getExclusiveAttr(), reverse);
  return success();
}
