// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 bits as f32, which has all their values.
#ifndef ACCEL_RUNTIME_BASE_WIDEN_FLOATS_H_
#define ACCEL_RUNTIME_BASE_WIDEN_FLOATS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "runtime/base/dtype.h"

namespace accel::runtime {

// The bits of the f32 of the same value; of NaNs the payload stays.
uint32_t WidenF16(uint16_t bits);
uint32_t WidenBf16(uint16_t bits);

// Whether WidenToF32 takes elements of this type: f16, bf16 and f32.
bool IsWithinF32(DType dtype);

// Writes each element of `src` as f32.
// Requires: IsWithinF32(dtype), and dst has room for as many elements.
void WidenToF32(DType dtype, absl::Span<const std::byte> src,
                absl::Span<std::byte> dst);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_WIDEN_FLOATS_H_
