// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How instructions read floating-point operands and write results: flushing of
// subnormal numbers, saturation, and PTX's canonical NaNs.
#ifndef ACCEL_TEST_CUDA_PTX_FLOAT_VALUES_H_
#define ACCEL_TEST_CUDA_PTX_FLOAT_VALUES_H_

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "test/cuda/ptx/rounding.h"
#include "test/cuda/ptx/thread.h"
#include "test/cuda/ptx/types.h"

namespace accel::ptx {

inline constexpr uint32_t kNanF32 = 0x7fffffff;
inline constexpr uint64_t kNanF64 = 0xfff8000000000000;

template <typename T>
T FlushSubnormal(T value) {
  const T smallest = sizeof(T) == 4 ? T(FLT_MIN) : T(DBL_MIN);
  return std::fabs(value) < smallest ? std::copysign(T(0), value) : value;
}

// .sat: into [0, 1]; a NaN becomes +0, and so does -0.
template <typename T>
T SaturateToOne(T value) {
  return value > 0 ? std::fmin(value, T(1)) : T(0);
}

inline uint32_t BitsOfF32(float value) {
  return std::isnan(value) ? kNanF32 : std::bit_cast<uint32_t>(value);
}
inline uint64_t BitsOfF64(double value) {
  return std::isnan(value) ? kNanF64 : std::bit_cast<uint64_t>(value);
}

inline const Format& FormatOf(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
      return kF16;
    case Type::kBf16:
    case Type::kBf16x2:
      return kBf16;
    case Type::kE4m3x2:
      return kE4m3;
    case Type::kE5m2x2:
      return kE5m2;
    default:
      return kF32;
  }
}

// The exact value of a number of one of the four types of IsFloat.
inline double ValueOf(uint64_t bits, Type type) {
  switch (type) {
    case Type::kF64:
      return std::bit_cast<double>(bits);
    case Type::kF32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case Type::kBf16:
      return std::bit_cast<float>(static_cast<uint32_t>(bits << 16));
    default:
      return Widen(FormatOf(type), static_cast<uint32_t>(bits & 0xffff));
  }
}

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_FLOAT_VALUES_H_
