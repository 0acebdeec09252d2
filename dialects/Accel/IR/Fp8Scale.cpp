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

Value accel::buildScale(ArithmeticBuilder &b, Value amax, Type element) {
  double largest =
      SmallFloat::get(element)->round(std::numeric_limits<float>::max(),
                                      /*saturates=*/true);
  Value divisor = b.max(amax, b.constant(amax, kLeastAmax));
  return b.div(b.constant(amax, largest), divisor);
}

Value accel::buildInverseScale(ArithmeticBuilder &b, Value scale) {
  return b.div(b.constant(scale, 1.0), scale);
}
