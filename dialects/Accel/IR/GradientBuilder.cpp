// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gradient rules need beside arithmetic.
#include "dialects/Accel/IR/GradientBuilder.h"

#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel {

Value GradientBuilder::sumToOperand(Value gradient, Value operand,
                                    ArrayRef<int64_t> dimensions) {
  ArrayRef<int64_t> wide = shapeOf(gradient);
  SmallVector<int64_t> axes = otherAxes(wide.size(), dimensions);
  for (auto [size, dimension] : llvm::zip_equal(shapeOf(operand), dimensions)) {
    if (size == 1 && wide[dimension] != 1) {
      axes.push_back(dimension);
    }
  }
  llvm::sort(axes);
  return reshapeLike(sum(gradient, axes), operand);
}

bool isFloatTensor(Value value) { return isa<FloatType>(elementTypeOf(value)); }

LogicalResult refuseGradientOf(Operation *op, StringRef name, Value gradient,
                               StringRef differentiable) {
  if (!gradient) {
    return success();
  }
  return op->emitOpError() << "expected a gradient of `" << differentiable
                           << "` only, got one of `" << name
                           << "`: make the objective depend on `"
                           << differentiable << "` alone";
}

} // namespace accel
