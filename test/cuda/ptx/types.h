// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of PTX's instructions.
#ifndef ACCEL_TEST_CUDA_PTX_TYPES_H_
#define ACCEL_TEST_CUDA_PTX_TYPES_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace accel::ptx {

enum class Type : uint8_t {
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kF32,
  kF32x2,
  kF64,
  kE4m3x2,
  kE5m2x2,
};

// The type of a modifier without its dot, or nothing if it names no type.
std::optional<Type> TypeNamed(absl::string_view name);

// 1 for a predicate.
int BitsOf(Type type);
bool IsSigned(Type type);
// One of .u and .s, of any width.
bool IsInteger(Type type);
// One of .b, .u and .s.
bool IsBitsOrInteger(Type type);
// .f16, .bf16, .f32, .f64: one number.
bool IsFloat(Type type);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_TYPES_H_
