// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations between numbers and 8-bit codes, of which only an optimizer's
// state is made: nothing flows back through them.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

void QuantizeOp::build(OpBuilder &builder, OperationState &state, ByteCode code,
                       Value operand) {
  auto byte = IntegerType::get(builder.getContext(), 8, IntegerType::Unsigned);
  build(builder, state, RankedTensorType::get(shapeOf(operand), byte), code,
        operand);
}

LogicalResult QuantizeOp::buildGradient(OpBuilder &, ValueRange,
                                        MutableArrayRef<Value>) {
  return success();
}

LogicalResult DequantizeOp::buildGradient(OpBuilder &, ValueRange,
                                          MutableArrayRef<Value>) {
  return success();
}
