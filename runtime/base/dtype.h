// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types of the runtime and how much room their elements take.
#ifndef ACCEL_RUNTIME_BASE_DTYPE_H_
#define ACCEL_RUNTIME_BASE_DTYPE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace accel::runtime {

enum class DType : uint8_t {
  kBool,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kF8E4M3,
  kF8E5M2,
  kF8E8M0,
  kF16,
  kBF16,
  kF32,
  kF64,
};

// "f32", "i64", "bool": the spelling of plans and messages.
absl::string_view DTypeName(DType dtype);

// The type that DTypeName spells, or nothing.
std::optional<DType> DTypeFromName(absl::string_view name);

// Bytes of one element.
int64_t ByteWidth(DType dtype);

// A signed or unsigned integer (not bool).
bool IsInteger(DType dtype);
bool IsFloat(DType dtype);

// Bytes of a dense tensor, or nothing if a dimension is negative or the product
// leaves int64. Untrusted shapes go through this before anything is allocated.
std::optional<int64_t> DenseByteSize(absl::Span<const int64_t> shape,
                                     DType dtype);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_DTYPE_H_
