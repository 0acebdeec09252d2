// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/host_floats.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace accel::cuda_double {

size_t BytesOf(FloatFormat format) {
  return (1 + format.exponent_bits + format.mantissa_bits) / 8;
}

double RoundoffOf(FloatFormat format) {
  return std::ldexp(1.0, -format.mantissa_bits - 1);
}

double Decode(FloatFormat format, const std::byte* at) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, BytesOf(format));
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const uint32_t mantissa = bits & ((1u << format.mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> format.mantissa_bits) &
                       ((1 << format.exponent_bits) - 1);
  const double significand =
      std::ldexp(double(mantissa), -format.mantissa_bits) +
      (exponent == 0 ? 0 : 1);
  const double magnitude =
      std::ldexp(significand, std::max(exponent, 1) - bias);
  const int sign_at = format.exponent_bits + format.mantissa_bits;
  return (bits >> sign_at) & 1 ? -magnitude : magnitude;
}

void Encode(FloatFormat format, double value, std::byte* at) {
  uint32_t bits = 0;
  if (value != 0) {
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(value), &exponent);
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const auto mantissa = static_cast<uint32_t>(
        std::ldexp(2 * fraction - 1, format.mantissa_bits));
    bits =
        (static_cast<uint32_t>(exponent - 1 + bias) << format.mantissa_bits) |
        mantissa;
  }
  bits |= uint32_t{std::signbit(value)}
          << (format.exponent_bits + format.mantissa_bits);
  std::memcpy(at, &bits, BytesOf(format));
}

}  // namespace accel::cuda_double
