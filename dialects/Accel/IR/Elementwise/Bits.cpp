// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on the bits of numbers: nothing flows back through them.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

LogicalResult BitwiseOp::buildGradient(OpBuilder &, ValueRange,
                                       MutableArrayRef<Value>) {
  return success();
}

LogicalResult BitcastOp::verify() {
  Type from = elementTypeOf(getOperand()), to = elementTypeOf(getResult());
  // bitcast_c1
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth()) {
    return emitOpError() << "expected element types of one width, got " << from
                         << " and " << to;
  }
  return success();
}

LogicalResult BitcastOp::buildGradient(OpBuilder &, ValueRange,
                                       MutableArrayRef<Value>) {
  return success();
}
