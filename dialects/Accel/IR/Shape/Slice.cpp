// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slice and its transpose, pad: verification, folds and gradients.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SplatConstant.h"

using namespace mlir;
using namespace accel;

/// Verifies that `offsets` and `strides` have an entry per dimension and point
/// forwards.
static LogicalResult verifySteps(Operation *op, ArrayRef<int64_t> offsets,
                                 StringRef offsetsName,
                                 ArrayRef<int64_t> strides) {
  // slice_c1, pad_c1
  int64_t rank = shapeOf(op->getOperand(0)).size();
  if (failed(verifyLength(op, offsetsName, offsets, rank)) ||
      failed(verifyLength(op, "strides", strides, rank))) {
    return failure();
  }
  for (auto [i, offset, stride] : llvm::enumerate(offsets, strides)) {
    if (stride < 1) {
      return op->emitOpError() << "expected a positive stride in dimension "
                               << i << ", got " << stride;
    }
    if (offset < 0) {
      return op->emitOpError()
             << "expected `" << offsetsName << "` of 0 or more in dimension "
             << i << ", got " << offset;
    }
  }
  return success();
}

/// Verifies that the elements of `part` lie at `offsets + i * strides` inside
/// `whole`, one of operand and result each.
static LogicalResult verifyPlacement(Operation *op, Value part, Value whole,
                                     StringRef wholeName,
                                     ArrayRef<int64_t> offsets,
                                     ArrayRef<int64_t> strides) {
  ArrayRef<int64_t> inner = shapeOf(part);
  ArrayRef<int64_t> outer = shapeOf(whole);
  // slice_c2, pad_c2
  if (inner.size() != outer.size()) {
    return op->emitOpError() << "expected a result of rank " << offsets.size()
                             << ", as `operand` has, got rank "
                             << shapeOf(op->getResult(0)).size();
  }
  for (auto [i, size, room] : llvm::enumerate(inner, outer)) {
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(room)) {
      continue;
    }
    // As a quotient, because offset + (size - 1) * stride could overflow.
    int64_t left = room - offsets[i];
    bool liesInside =
        size == 0 ? left >= 0 : left > 0 && size - 1 <= (left - 1) / strides[i];
    if (!liesInside) {
      return op->emitOpError()
             << "expected " << size << " elements of stride " << strides[i]
             << " from " << offsets[i] << " to lie inside the " << room
             << " of `" << wholeName << "` in dimension " << i << ", got more";
    }
  }
  return verifyElementType(op, "result", op->getResult(0),
                           elementTypeOf(op->getOperand(0)));
}

LogicalResult SliceOp::verify() {
  if (failed(verifySteps(*this, getOffsets(), "offsets", getStrides()))) {
    return failure();
  }
  return verifyPlacement(*this, getResult(), getOperand(), "operand",
                         getOffsets(), getStrides());
}

LogicalResult PadOp::verify() {
  if (failed(verifySteps(*this, getLow(), "low", getStrides()))) {
    return failure();
  }
  return verifyPlacement(*this, getOperand(), getResult(), "result", getLow(),
                         getStrides());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // Equal sizes leave room for no other offset or stride.
  if (getOperand().getType() == getType() && getType().hasStaticShape()) {
    return getOperand();
  }
  auto inner = getOperand().getDefiningOp<SliceOp>();
  if (inner && !llvm::is_contained(shapeOf(getResult()), 0)) {
    SmallVector<int64_t> offsets;
    SmallVector<int64_t> strides;
    for (auto [i, size] : llvm::enumerate(shapeOf(getResult()))) {
      int64_t innerStride = inner.getStrides()[i];
      offsets.push_back(inner.getOffsets()[i] + getOffsets()[i] * innerStride);
      // The stride of a single element means nothing, but could overflow.
      strides.push_back(size == 1 ? 1 : getStrides()[i] * innerStride);
    }
    setOffsets(offsets);
    setStrides(strides);
    setOperand(inner.getOperand());
    return getResult();
  }
  return resizeSplat(adaptor.getOperand(), getType());
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() && getType().hasStaticShape()
             ? getOperand()
             : Value();
}

LogicalResult SliceOp::buildGradient(OpBuilder &builder,
                                     ValueRange resultGradients,
                                     MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.create<PadOp>(getOperand().getType(), gradient,
                                        getOffsets(), getStrides());
  return success();
}

LogicalResult PadOp::buildGradient(OpBuilder &builder,
                                   ValueRange resultGradients,
                                   MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.create<SliceOp>(getOperand().getType(), gradient,
                                          getLow(), getStrides());
  return success();
}
