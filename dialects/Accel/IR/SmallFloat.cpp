// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of formats, and rounding in double: exact products with powers of
// two around one rounding to a whole number.
#include "dialects/Accel/IR/SmallFloat.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace accel;

const SmallFloat *SmallFloat::get(Type element) {
  static constexpr SmallFloat kBF16{8, 7, /*hasInfinity=*/true};
  static constexpr SmallFloat kF16{5, 10, /*hasInfinity=*/true};
  static constexpr SmallFloat kE4M3{4, 3, /*hasInfinity=*/false};
  static constexpr SmallFloat kE5M2{5, 2, /*hasInfinity=*/true};
  static constexpr SmallFloat kE8M0{8, 0, /*hasInfinity=*/false,
                                    /*isScale=*/true};
  return llvm::TypeSwitch<Type, const SmallFloat *>(element)
      .Case([](BFloat16Type) { return &kBF16; })
      .Case([](Float16Type) { return &kF16; })
      .Case([](Float8E4M3FNType) { return &kE4M3; })
      .Case([](Float8E5M2Type) { return &kE5M2; })
      .Case([](Float8E8M0FNUType) { return &kE8M0; })
      .Default(nullptr);
}

/// Up to a power of two.
double SmallFloat::roundScale(double number) const {
  double lowest = std::ldexp(1.0, -getBias());
  double highest = std::ldexp(1.0, getLargest() - getBias());
  if (!(number > lowest)) {
    return lowest;
  }
  if (number >= highest) {
    return highest;
  }
  int exponent = 0;
  double mantissa = std::frexp(number, &exponent);
  return std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
}

double SmallFloat::round(double number, bool saturates) const {
  assert((saturates || !alwaysSaturates()) && "the format always saturates");
  if (std::isnan(number)) {
    return number;
  }
  if (isScale) {
    return roundScale(number);
  }
  int highest = (getLargest() >> mantissaBits) - getBias();
  int fraction = getLargest() & ((1 << mantissaBits) - 1);
  double largest = std::ldexp(std::ldexp(fraction, -mantissaBits) + 1, highest);
  double magnitude = std::fabs(number);
  if (std::isfinite(magnitude) && magnitude != 0.0) {
    int exponent = std::max(std::ilogb(magnitude), 1 - getBias());
    int unit = exponent - mantissaBits;
    // Ties to even: the rounding mode of the program.
    magnitude = std::ldexp(std::nearbyint(std::ldexp(magnitude, -unit)), unit);
  }
  if (magnitude > largest) {
    magnitude = saturates ? largest : std::numeric_limits<double>::infinity();
  }
  return std::copysign(magnitude, number);
}
