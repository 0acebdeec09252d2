// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of tensors in memory of the host, as doubles.
#ifndef ACCEL_RUNTIME_EXECUTOR_FLOAT_READER_H_
#define ACCEL_RUNTIME_EXECUTOR_FLOAT_READER_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "runtime/base/dtype.h"

namespace accel::runtime {

template <typename T>
T LoadElement(const std::byte* data, uint64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

// Of 16 bits: a sign, `exponent_bits` of exponent, and the fraction.
inline double DecodeFloat16(uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int mask = (1 << exponent_bits) - 1;
  const int exponent = (bits >> fraction_bits) & mask;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == mask) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  const int bias = mask / 2;
  const int scale = (exponent == 0 ? 1 : exponent) - bias - fraction_bits;
  const int whole = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
  return sign * std::ldexp(whole, scale);
}

// Calls visit(read), where read(i) is element i of `data`, and returns true; or
// false for what is none of f64, f32, f16 and bf16.
template <typename Visit>
bool VisitFloats(DType dtype, const std::byte* data, Visit visit) {
  switch (dtype) {
    case DType::kF64:
      visit([data](uint64_t i) { return LoadElement<double>(data, i); });
      return true;
    case DType::kF32:
      visit([data](uint64_t i) {
        return static_cast<double>(LoadElement<float>(data, i));
      });
      return true;
    case DType::kF16:
      visit([data](uint64_t i) {
        return DecodeFloat16(LoadElement<uint16_t>(data, i), 5);
      });
      return true;
    case DType::kBF16:
      visit([data](uint64_t i) {
        return DecodeFloat16(LoadElement<uint16_t>(data, i), 8);
      });
      return true;
    default:
      return false;
  }
}

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_FLOAT_READER_H_
