// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Broadcast: verification, folds and gradient.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SplatConstant.h"

using namespace mlir;
using namespace accel;

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> narrow = shapeOf(getOperand());
  ArrayRef<int64_t> wide = shapeOf(getResult());
  // broadcast_c1
  if (failed(
          verifyLength(*this, "dimensions", getDimensions(), narrow.size()))) {
    return failure();
  }
  int64_t previous = -1;
  for (int64_t dimension : getDimensions()) {
    if (failed(verifyAxis(*this, "dimensions", dimension, wide.size()))) {
      return failure();
    }
    if (dimension <= previous) {
      return emitOpError() << "expected `dimensions` to increase, got "
                           << dimension << " after " << previous;
    }
    previous = dimension;
  }
  // broadcast_c2
  for (auto [i, dimension] : llvm::enumerate(getDimensions())) {
    if (narrow[i] != 1 && !fits(narrow[i], wide[dimension])) {
      return emitOpError() << "expected dimension " << i
                           << " of `operand` to be 1 or " << wide[dimension]
                           << ", as dimension " << dimension
                           << " of `result`, got " << narrow[i];
    }
  }
  return verifyElementType(*this, "result", getResult(),
                           elementTypeOf(getOperand()));
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  // Equal types imply that every dimension stays where it is.
  if (getOperand().getType() == getType() && getType().hasStaticShape()) {
    return getOperand();
  }
  if (auto inner = getOperand().getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> dimensions;
    for (int64_t dimension : inner.getDimensions()) {
      dimensions.push_back(getDimensions()[dimension]);
    }
    setDimensions(dimensions);
    setOperand(inner.getOperand());
    return getResult();
  }
  return resizeSplat(adaptor.getOperand(), getType());
}

LogicalResult
BroadcastOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.sumToOperand(gradient, getOperand(), getDimensions());
  return success();
}
