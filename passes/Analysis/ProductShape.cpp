// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes from the result's shape.
#include "passes/Analysis/ProductShape.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"

using namespace mlir;
using namespace accel;

ProductShape ProductShape::get(MatmulOp product) {
  ArrayRef<int64_t> shape = shapeOf(product.getResult());
  return {llvm::product_of(shape.drop_back(2)), shape[shape.size() - 2],
          shape.back(), getSummedElements(product)};
}

MatmulOp accel::getProduct(func::FuncOp kernel) {
  for (auto op : kernel.getBody().front().getOps<MatmulOp>()) {
    return op;
  }
  return {};
}
