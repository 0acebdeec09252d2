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

Value accel::buildElement(ArithmeticBuilder &b, Value values, int64_t index) {
  auto type = cast<RankedTensorType>(values.getType()).clone({1});
  Value one = b.create<SliceOp>(type, values, ArrayRef<int64_t>{index},
                                ArrayRef<int64_t>{1});
  return b.reshape(one, {});
}

Value accel::buildInverseScale(ArithmeticBuilder &b, Value scale) {
  return b.div(b.constant(scale, 1.0), scale);
}

Value accel::buildBlockInverse(ArithmeticBuilder &b, Value amax, Type element) {
  Value exact = b.div(amax, b.constant(amax, getLargest(element)));
  Value bounded = b.max(exact, b.constant(amax, kLeastBlockInverse));
  return b.cast(bounded, Float8E8M0FNUType::get(b.getBuilder().getContext()));
}

/// The shape of `value` with other sizes of its last two dimensions.
static SmallVector<int64_t> withSizes(Value value, int64_t rows,
                                      int64_t columns) {
  SmallVector<int64_t> shape(shapeOf(value));
  shape[shape.size() - 2] = rows;
  shape.back() = columns;
  return shape;
}

Value accel::buildPadded(ArithmeticBuilder &b, Value value, int64_t rows,
                         int64_t columns) {
  ArrayRef<int64_t> shape = shapeOf(value);
  SmallVector<int64_t> wanted =
      withSizes(value, llvm::alignTo(shape[shape.size() - 2], rows),
                llvm::alignTo(shape.back(), columns));
  if (shape == ArrayRef<int64_t>(wanted)) {
    return value;
  }
  SmallVector<int64_t> low(shape.size(), 0);
  SmallVector<int64_t> strides(shape.size(), 1);
  auto type = cast<RankedTensorType>(value.getType()).clone(wanted);
  return b.create<PadOp>(type, value, low, strides);
}

Value accel::buildFirst(ArithmeticBuilder &b, Value value, int64_t rows,
                        int64_t columns) {
  ArrayRef<int64_t> shape = shapeOf(value);
  SmallVector<int64_t> wanted = withSizes(value, rows, columns);
  if (shape == ArrayRef<int64_t>(wanted)) {
    return value;
  }
  SmallVector<int64_t> offsets(shape.size(), 0);
  SmallVector<int64_t> strides(shape.size(), 1);
  auto type = cast<RankedTensorType>(value.getType()).clone(wanted);
  return b.create<SliceOp>(type, value, offsets, strides);
}
