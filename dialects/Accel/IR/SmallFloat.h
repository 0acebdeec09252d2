// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floats of 16 and 8 bits: how their bits are numbers, and which of their
// numbers another number becomes. `accel.cast` describes both in words.
#ifndef ACCEL_DIALECTS_ACCEL_IR_SMALLFLOAT_H
#define ACCEL_DIALECTS_ACCEL_IR_SMALLFLOAT_H

#include "mlir/IR/Types.h"

#include <cstdint>

namespace accel {

/// One of bf16, f16, f8E4M3FN, f8E5M2 and f8E8M0FNU. From the highest bit down:
/// a sign (a scale has none), the exponent, the mantissa. Magnitudes below are
/// codes without the sign.
struct SmallFloat {
  int exponentBits;
  int mantissaBits;
  /// Whether the highest exponent stands for infinity and NaN. Otherwise it
  /// stands for numbers, too, and the highest magnitude alone is NaN.
  bool hasInfinity;
  /// f8E8M0FNU: a power of two, without a sign and without zero.
  bool isScale = false;

  /// Null if `element` is none of them. The formats live as long as the
  /// program.
  static const SmallFloat *get(mlir::Type element);

  int getWidth() const { return exponentBits + mantissaBits + !isScale; }
  int getBias() const { return (1 << (exponentBits - 1)) - 1; }
  /// Of infinity; of what it would be where there is none.
  int32_t getInfinity() const {
    return ((1 << exponentBits) - 1) << mantissaBits;
  }
  /// Of the largest number.
  int32_t getLargest() const {
    return hasInfinity ? getInfinity() - 1
                       : (1 << (exponentBits + mantissaBits)) - 2;
  }
  /// Whether casts to the format always saturate.
  bool alwaysSaturates() const { return getWidth() == 8; }

  /// What `accel.cast` makes of a number of f32, as a double. Requires:
  /// `saturates` where casts always do.
  double round(double number, bool saturates) const;

private:
  double roundScale(double number) const;
};

} // namespace accel

#endif
