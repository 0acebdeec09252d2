// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is there before anything is computed: constants and indices.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::buildGradient(OpBuilder &, ValueRange,
                                        MutableArrayRef<Value>) {
  return success();
}

LogicalResult IotaOp::verify() {
  // iota_c1
  return verifyAxis(*this, "dimension", getDimension(),
                    shapeOf(getResult()).size());
}

LogicalResult IotaOp::buildGradient(OpBuilder &, ValueRange,
                                    MutableArrayRef<Value>) {
  return success();
}
