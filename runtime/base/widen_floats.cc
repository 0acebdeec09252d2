// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On the bits alone, so that no mode of the processor that flushes small
// numbers changes any.
#include "runtime/base/widen_floats.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace accel::runtime {
namespace {

template <uint32_t (*kWiden)(uint16_t)>
void WidenAll(absl::Span<const std::byte> src, absl::Span<std::byte> dst) {
  for (size_t i = 0; i < src.size() / sizeof(uint16_t); ++i) {
    uint16_t narrow = 0;
    std::memcpy(&narrow, &src[i * sizeof narrow], sizeof narrow);
    const uint32_t wide = kWiden(narrow);
    std::memcpy(&dst[i * sizeof wide], &wide, sizeof wide);
  }
}

}  // namespace

uint32_t WidenBf16(uint16_t bits) { return uint32_t{bits} << 16; }

uint32_t WidenF16(uint16_t bits) {
  constexpr uint32_t kMoreBias = 127 - 15;
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f) {
    return sign | 0x7f800000 | fraction << 13;
  }
  if (exponent != 0) {
    return sign | (exponent + kMoreBias) << 23 | fraction << 13;
  }
  if (fraction == 0) {
    return sign;
  }
  // fraction * 2^-24, whose leading one f32 does not store.
  const auto width = static_cast<uint32_t>(std::bit_width(fraction));
  return sign | (width - 1 - 24 + 127) << 23 |
         ((fraction << (24 - width)) & 0x7fffff);
}

bool IsWithinF32(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF32;
}

void WidenToF32(DType dtype, absl::Span<const std::byte> src,
                absl::Span<std::byte> dst) {
  if (dtype == DType::kF16) {
    WidenAll<WidenF16>(src, dst);
  } else if (dtype == DType::kBF16) {
    WidenAll<WidenBf16>(src, dst);
  } else {
    std::copy(src.begin(), src.end(), dst.begin());
  }
}

}  // namespace accel::runtime
