// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/rounding.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace accel::ptx {
namespace {

// Whether a magnitude of `whole` units and the part `rest` of one, 0 < rest <
// 1, grows to whole + 1.
bool Grows(uint64_t whole, double rest, bool negative, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestEven:
      return rest > 0.5 || (rest == 0.5 && (whole & 1) != 0);
    case Rounding::kNearestAway:
      return rest >= 0.5;
    case Rounding::kZero:
      return false;
    case Rounding::kDown:
      return negative;
    case Rounding::kUp:
      return !negative;
  }
  return false;
}

bool OverflowsToInfinity(bool negative, Rounding rounding) {
  return rounding == Rounding::kNearestEven ||
         rounding == Rounding::kNearestAway ||
         (rounding == Rounding::kDown && negative) ||
         (rounding == Rounding::kUp && !negative);
}

}  // namespace

double Widen(const Format& format, uint32_t bits) {
  const bool negative = (bits & format.SignBit()) != 0;
  const uint32_t magnitude = bits & (format.SignBit() - 1);
  const uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const int last = (1 << format.exponent_bits) - 1;
  double value = 0;
  if (format.has_infinity && exponent == last) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (!format.has_infinity && magnitude == format.SignBit() - 1) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - format.Bias() - format.mantissa_bits);
  } else {
    value = std::ldexp(mantissa + (1u << format.mantissa_bits),
                       exponent - format.Bias() - format.mantissa_bits);
  }
  return negative ? -value : value;
}

uint32_t RoundTo(const Format& format, double value, Rounding rounding,
                 bool saturate) {
  if (std::isnan(value)) {
    return format.SignBit() - 1;
  }
  const bool negative = std::signbit(value);
  const uint32_t sign = negative ? format.SignBit() : 0;
  // What lies above the largest finite number: infinity, or e4m3's NaN.
  const uint32_t limit = format.has_infinity
                             ? ((1u << format.exponent_bits) - 1)
                                   << format.mantissa_bits
                             : format.SignBit() - 1;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) {
    return sign;
  }
  if (std::isinf(value)) {
    return sign | (saturate ? limit - 1 : limit);
  }
  const int lowest = 1 - format.Bias();
  const int exponent = std::max(std::ilogb(magnitude), lowest);
  const double scaled = std::ldexp(magnitude, format.mantissa_bits - exponent);
  const double whole = std::floor(scaled);
  uint64_t units = static_cast<uint64_t>(whole);
  if (scaled != whole && Grows(units, scaled - whole, negative, rounding)) {
    ++units;
  }
  // The hidden bit of a normal number carries into the exponent.
  const int64_t bits = (int64_t{exponent - lowest} << format.mantissa_bits) +
                       static_cast<int64_t>(units);
  if (bits < limit) {
    return sign | static_cast<uint32_t>(bits);
  }
  const bool to_infinity = !saturate && OverflowsToInfinity(negative, rounding);
  return sign | (to_infinity ? limit : limit - 1);
}

double RoundToInteger(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kZero:
      return std::trunc(value);
    case Rounding::kDown:
      return std::floor(value);
    case Rounding::kUp:
      return std::ceil(value);
    case Rounding::kNearestAway:
      return std::round(value);
    case Rounding::kNearestEven:
      return std::nearbyint(value);
  }
  return value;
}

double AddToOdd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) {
    return sum;
  }
  // Knuth's sum: `error` is exactly what the rounding of `sum` lost.
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  if (error == 0 || (std::bit_cast<uint64_t>(sum) & 1) != 0) {
    return sum;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  return std::nextafter(sum, error > 0 ? infinity : -infinity);
}

double IntegerToOdd(uint64_t magnitude, bool negative) {
  const int excess = std::bit_width(magnitude) - 53;
  double value = 0;
  if (excess <= 0) {
    value = static_cast<double>(magnitude);
  } else {
    const uint64_t rest = magnitude & ((uint64_t{1} << excess) - 1);
    const uint64_t kept = (magnitude >> excess) | (rest != 0 ? 1 : 0);
    value = std::ldexp(static_cast<double>(kept), excess);
  }
  return negative ? -value : value;
}

ScopedRounding::ScopedRounding(Rounding rounding) : saved_(std::fegetround()) {
  switch (rounding) {
    case Rounding::kZero:
      std::fesetround(FE_TOWARDZERO);
      break;
    case Rounding::kDown:
      std::fesetround(FE_DOWNWARD);
      break;
    case Rounding::kUp:
      std::fesetround(FE_UPWARD);
      break;
    case Rounding::kNearestEven:
    case Rounding::kNearestAway:
      std::fesetround(FE_TONEAREST);
      break;
  }
}

ScopedRounding::~ScopedRounding() { std::fesetround(saved_); }

}  // namespace accel::ptx
