// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maxima and quotients in f32.
#include "dialects/Accel/IR/Fp8Scale.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"

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
