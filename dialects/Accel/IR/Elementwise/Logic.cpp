// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations whose results are boolean: nothing flows back through them.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

void CompareOp::build(OpBuilder &builder, OperationState &state,
                      ComparePredicate predicate, Value lhs, Value rhs) {
  build(builder, state,
        RankedTensorType::get(shapeOf(lhs), builder.getI1Type()), predicate,
        lhs, rhs);
}

LogicalResult CompareOp::buildGradient(OpBuilder &, ValueRange,
                                       MutableArrayRef<Value>) {
  return success();
}

LogicalResult IsNanOp::buildGradient(OpBuilder &, ValueRange,
                                     MutableArrayRef<Value>) {
  return success();
}

LogicalResult AndOp::buildGradient(OpBuilder &, ValueRange,
                                   MutableArrayRef<Value>) {
  return success();
}

LogicalResult OrOp::buildGradient(OpBuilder &, ValueRange,
                                  MutableArrayRef<Value>) {
  return success();
}

LogicalResult NotOp::buildGradient(OpBuilder &, ValueRange,
                                   MutableArrayRef<Value>) {
  return success();
}
