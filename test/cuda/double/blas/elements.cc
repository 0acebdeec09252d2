// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/elements.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "test/cuda/ptx/rounding.h"

namespace accel::cuda_double::blas {
namespace {

const ptx::Format& FormatOf(int type) {
  switch (type) {
    case cuda::kR16F:
      return ptx::kF16;
    case cuda::kR16BF:
      return ptx::kBf16;
    case cuda::kR8F_E4M3:
      return ptx::kE4m3;
    case cuda::kR8F_E5M2:
      return ptx::kE5m2;
    default:
      return ptx::kF32;
  }
}

}  // namespace

size_t ElementBytes(int type) {
  switch (type) {
    case cuda::kR32F:
      return 4;
    case cuda::kR16F:
    case cuda::kR16BF:
      return 2;
    case cuda::kR8F_E4M3:
    case cuda::kR8F_E5M2:
      return 1;
    default:
      return 0;
  }
}

bool IsFp8(int type) {
  return type == cuda::kR8F_E4M3 || type == cuda::kR8F_E5M2;
}

float LoadElement(int type, const std::byte* at) {
  uint32_t bits = 0;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(&bits, at, ElementBytes(type));
  if (type == cuda::kR32F) {
    return std::bit_cast<float>(bits);
  }
  if (type == cuda::kR16BF) {
    return std::bit_cast<float>(bits << 16);
  }
  return static_cast<float>(ptx::Widen(FormatOf(type), bits));
}

void StoreElement(int type, float value, std::byte* at) {
  const uint32_t bits =
      type == cuda::kR32F
          ? std::bit_cast<uint32_t>(value)
          : ptx::RoundTo(FormatOf(type), value, ptx::Rounding::kNearestEven,
                         IsFp8(type));
  std::memcpy(at, &bits, ElementBytes(type));
}

float RoundToElement(int type, float value) {
  std::byte bytes[4];
  StoreElement(type, value, bytes);
  return LoadElement(type, bytes);
}

float RoundToTf32(float value) {
  if (!std::isfinite(value)) {
    return value;
  }
  uint32_t bits = std::bit_cast<uint32_t>(value);
  bits += 0xfff + ((bits >> 13) & 1);
  return std::bit_cast<float>(bits & ~0x1fffu);
}

}  // namespace accel::cuda_double::blas
