// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maxima and quotients in f32.
#include "dialects/Accel/IR/Fp8Scale.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace accel;

/// Rows first, whose maxima are found where rows are made.
Value accel::buildAmax(ArithmeticBuilder &b, Value tensor) {
  Value amax = b.abs(tensor);
  auto rank = static_cast<int64_t>(shapeOf(tensor).size());
  if (rank > 1) {
    amax = b.create<ReduceMaxOp>(amax, axisRange(rank - 1, rank));
    rank -= 1;
  }
  return b.create<ReduceMaxOp>(amax, axisRange(0, rank));
}

double accel::getLargest(Type element) {
  return SmallFloat::get(element)->round(std::numeric_limits<float>::max(),
                                         /*saturates=*/true);
}

/// What divides the largest number.
static Value buildDivisor(ArithmeticBuilder &b, Value amax) {
  return b.max(amax, b.constant(amax, kLeastAmax));
}

Value accel::buildScale(ArithmeticBuilder &b, Value amax, Value largest) {
  return b.div(largest, buildDivisor(b, amax));
}

Value accel::buildScale(ArithmeticBuilder &b, Value amax, Type element) {
  Value divisor = buildDivisor(b, amax);
  return b.div(b.constant(amax, getLargest(element)), divisor);
}

Value accel::buildPart(ArithmeticBuilder &b, Value values, int64_t first,
                       int64_t count) {
  auto type = cast<RankedTensorType>(values.getType()).clone({count});
  return b.create<SliceOp>(type, values, ArrayRef<int64_t>{first},
                           ArrayRef<int64_t>{1});
}

Value accel::buildElement(ArithmeticBuilder &b, Value values, int64_t index) {
  return b.reshape(buildPart(b, values, index, 1), {});
}

Value accel::buildInverseScale(ArithmeticBuilder &b, Value scale) {
  return b.div(b.constant(scale, 1.0), scale);
}

Value accel::buildBlockInverse(ArithmeticBuilder &b, Value amax, Type element) {
  Value exact = b.div(amax, b.constant(amax, getLargest(element)));
  Value bounded = b.max(exact, b.constant(amax, kLeastBlockInverse));
  return b.cast(bounded, Float8E8M0FNUType::get(b.getBuilder().getContext()));
}

SmallVector<int64_t> accel::getMatrixTranspose(int64_t rank) {
  SmallVector<int64_t> order = axisRange(0, rank);
  std::swap(order[rank - 2], order[rank - 1]);
  return order;
}

Value accel::buildTransposed(ArithmeticBuilder &b, Value value) {
  auto moved = TransposeOp::create(b.getBuilder(), b.getLoc(), value,
                                   getMatrixTranspose(shapeOf(value).size()));
  moved.setStored(true);
  return moved;
}

/// What `OpTy`, a pad or a slice from the first element on, makes of the last
/// two dimensions of `value`; `value` itself if they have those sizes.
template <typename OpTy>
static Value resize(ArithmeticBuilder &b, Value value, int64_t rows,
                    int64_t columns) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[shape.size() - 2] = rows;
  shape.back() = columns;
  if (type.getShape() == ArrayRef<int64_t>(shape)) {
    return value;
  }
  SmallVector<int64_t> first(shape.size(), 0);
  SmallVector<int64_t> strides(shape.size(), 1);
  return b.create<OpTy>(type.clone(shape), value, first, strides);
}

Value accel::buildPadded(ArithmeticBuilder &b, Value value, int64_t rows,
                         int64_t columns) {
  ArrayRef<int64_t> shape = shapeOf(value);
  return resize<PadOp>(b, value, llvm::alignTo(shape[shape.size() - 2], rows),
                       llvm::alignTo(shape.back(), columns));
}

Value accel::buildFirst(ArithmeticBuilder &b, Value value, int64_t rows,
                        int64_t columns) {
  return resize<SliceOp>(b, value, rows, columns);
}

int64_t accel::countSquares(RankedTensorType type, int64_t size) {
  return llvm::divideCeil(type.getDimSize(0), size) *
         llvm::divideCeil(type.getDimSize(1), size);
}

Value accel::buildRepeated(ArithmeticBuilder &b, Value values, int64_t height,
                           int64_t width, ArrayRef<int64_t> shape) {
  int64_t rows = llvm::divideCeil(shape[0], height);
  int64_t columns = llvm::divideCeil(shape[1], width);
  auto type = cast<RankedTensorType>(values.getType());
  Value repeated = b.create<BroadcastOp>(
      type.clone({rows, height, columns, width}),
      b.reshape(values, {rows, columns}), ArrayRef<int64_t>{0, 2});
  return buildFirst(b, b.reshape(repeated, {rows * height, columns * width}),
                    shape[0], shape[1]);
}
