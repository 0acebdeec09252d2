// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of grouped products from their operands' shapes.
#include "passes/Analysis/GroupedSizes.h"

#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

/// How many matrices `chosen` is.
static int64_t countMatrices(Value chosen) {
  ArrayRef<int64_t> shape = shapeOf(chosen);
  return shape.size() == 2 ? 1 : shape[0];
}

GroupedSizes GroupedSizes::get(Operation *op) {
  ArrayRef<int64_t> left = shapeOf(op->getOperand(0));
  GroupedSizes sizes;
  sizes.rows = left[0];
  sizes.inner = left[1];
  sizes.isNarrow =
      elementTypeOf(op->getOperand(0)).getIntOrFloatBitWidth() == 16;
  if (auto outer = dyn_cast<GroupedOuterOp>(op)) {
    sizes.matrices = countMatrices(outer.getResult());
    sizes.columns = shapeOf(outer.getRhs())[1];
    sizes.isOuter = true;
    sizes.skipsOthers = outer.getSkipOthers();
    return sizes;
  }
  auto product = cast<GroupedMatmulOp>(op);
  sizes.matrices = countMatrices(product.getWeights());
  sizes.columns = shapeOf(product.getResult())[1];
  sizes.isTurned = product.getTransposeWeights();
  sizes.skipsOthers = product.getSkipOthers();
  return sizes;
}

bool accel::isGrouped(Operation *op) {
  return isa<GroupedMatmulOp, GroupedOuterOp>(op);
}

Operation *accel::findGrouped(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    if (isGrouped(&op)) {
      return &op;
    }
  }
  return nullptr;
}
