// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of grouped products from their operands' shapes.
#include "passes/Analysis/GroupedSizes.h"

#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

GroupedSizes GroupedSizes::get(Operation *op) {
  bool isNarrow =
      elementTypeOf(op->getOperand(0)).getIntOrFloatBitWidth() == 16;
  if (auto outer = dyn_cast<GroupedOuterOp>(op)) {
    ArrayRef<int64_t> result = shapeOf(outer.getResult());
    return {shapeOf(outer.getLhs())[0], result[0], result[1], result[2],
            /*isOuter=*/true,
            /*isTurned=*/false,         isNarrow};
  }
  auto product = cast<GroupedMatmulOp>(op);
  ArrayRef<int64_t> rows = shapeOf(product.getRows());
  return {rows[0],           shapeOf(product.getWeights())[0],
          rows[1],           shapeOf(product.getResult())[1],
          /*isOuter=*/false, product.getTransposeWeights(),
          isNarrow};
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
