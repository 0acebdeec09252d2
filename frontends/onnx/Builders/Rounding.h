// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole numbers beside a float. Their gradient is zero, as a cast to integers
// has none.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_ROUNDING_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_ROUNDING_H

#include "frontends/onnx/Builders/Formula.h"

namespace accel::onnx {

/// 1 where the condition holds, 0 elsewhere.
inline mlir::Value unit(const Formula &f, mlir::Value condition) {
  return f.select(condition, f.number(1), f.number(0));
}

/// Towards zero. Infinities, NaN and what no 64-bit integer holds, which is
/// whole, stay.
inline mlir::Value truncate(const NodeConversion &c, const Formula &f,
                            mlir::Value x) {
  constexpr double kLargestWhole = 0x1p62;
  mlir::Value fits = f.less(f.abs(x), f.number(kLargestWhole));
  mlir::Value whole =
      c.cast(f.select(fits, x, f.number(0)), c.builder.getI64Type());
  return f.select(fits, c.cast(whole, c.typeOf(x).getElementType()), x);
}

inline mlir::Value floorOf(const NodeConversion &c, const Formula &f,
                           mlir::Value x) {
  mlir::Value t = truncate(c, f, x);
  return f.sub(t, unit(f, f.greater(t, x)));
}

/// To the nearest, of two that are as near to the even one.
inline mlir::Value roundOf(const NodeConversion &c, const Formula &f,
                           mlir::Value x) {
  mlir::Value low = floorOf(c, f, x), half = f.number(0.5);
  mlir::Value distance = f.sub(x, low); // exact
  mlir::Value odd = f.sub(low, f.scale(2, floorOf(c, f, f.scale(0.5, low))));
  mlir::Value tie = f.select(f.equal(distance, half), odd, f.number(0));
  mlir::Value up = f.select(f.greater(distance, half), f.number(1), tie);
  return f.add(low, up);
}

} // namespace accel::onnx

#endif
