// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types: names, widths, sizes of tensors.
#include "runtime/base/dtype.h"

#include <array>

namespace accel::runtime {
namespace {

struct DTypeTraits {
  absl::string_view name;
  int64_t width;
  enum class Kind { kBool, kInteger, kFloat } kind;
};

using Kind = DTypeTraits::Kind;

// In the order of the enumeration.
constexpr std::array<DTypeTraits, 16> kTraits = {{
    {"bool", 1, Kind::kBool},
    {"i8", 1, Kind::kInteger},
    {"u8", 1, Kind::kInteger},
    {"i16", 2, Kind::kInteger},
    {"u16", 2, Kind::kInteger},
    {"i32", 4, Kind::kInteger},
    {"u32", 4, Kind::kInteger},
    {"i64", 8, Kind::kInteger},
    {"u64", 8, Kind::kInteger},
    {"f8e4m3", 1, Kind::kFloat},
    {"f8e5m2", 1, Kind::kFloat},
    {"f8e8m0", 1, Kind::kFloat},
    {"f16", 2, Kind::kFloat},
    {"bf16", 2, Kind::kFloat},
    {"f32", 4, Kind::kFloat},
    {"f64", 8, Kind::kFloat},
}};
static_assert(kTraits.size() == static_cast<size_t>(DType::kF64) + 1);

const DTypeTraits& TraitsOf(DType dtype) {
  return kTraits[static_cast<size_t>(dtype)];
}

}  // namespace

absl::string_view DTypeName(DType dtype) { return TraitsOf(dtype).name; }

std::optional<DType> DTypeFromName(absl::string_view name) {
  for (size_t i = 0; i < kTraits.size(); ++i) {
    if (kTraits[i].name == name) {
      return static_cast<DType>(i);
    }
  }
  return std::nullopt;
}

int64_t ByteWidth(DType dtype) { return TraitsOf(dtype).width; }

bool IsInteger(DType dtype) { return TraitsOf(dtype).kind == Kind::kInteger; }

bool IsFloat(DType dtype) { return TraitsOf(dtype).kind == Kind::kFloat; }

std::optional<int64_t> DenseByteSize(absl::Span<const int64_t> shape,
                                     DType dtype) {
  // A zero dimension makes the tensor empty but does not excuse a product of
  // the others that overflows: readers multiply in their own order.
  int64_t product = ByteWidth(dtype);
  bool empty = false;
  for (const int64_t dim : shape) {
    if (dim < 0) {
      return std::nullopt;
    }
    if (dim == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, dim, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

}  // namespace accel::runtime
