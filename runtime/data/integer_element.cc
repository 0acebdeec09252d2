// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of single integers.
#include "runtime/data/integer_element.h"

#include <cstring>
#include <limits>

namespace accel::runtime {
namespace {

template <typename T>
int64_t LoadAs(const std::byte* src) {
  T value;
  std::memcpy(&value, src, sizeof(value));
  return static_cast<int64_t>(value);
}

template <typename T>
void StoreAs(int64_t value, std::byte* dst) {
  const T narrow = static_cast<T>(value);
  std::memcpy(dst, &narrow, sizeof(narrow));
}

template <typename T>
IntegerRange RangeOf() {
  return {static_cast<int64_t>(std::numeric_limits<T>::min()),
          static_cast<int64_t>(std::numeric_limits<T>::max())};
}

}  // namespace

bool IsInt64Compatible(DType dtype) {
  return dtype == DType::kBool || (IsInteger(dtype) && dtype != DType::kU64);
}

IntegerRange ValuesOf(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return {0, 1};
    case DType::kI8:
      return RangeOf<int8_t>();
    case DType::kU8:
      return RangeOf<uint8_t>();
    case DType::kI16:
      return RangeOf<int16_t>();
    case DType::kU16:
      return RangeOf<uint16_t>();
    case DType::kI32:
      return RangeOf<int32_t>();
    case DType::kU32:
      return RangeOf<uint32_t>();
    default:
      return {};
  }
}

int64_t LoadInteger(DType dtype, const std::byte* src) {
  switch (dtype) {
    case DType::kBool:
      return LoadAs<uint8_t>(src) != 0 ? 1 : 0;
    case DType::kI8:
      return LoadAs<int8_t>(src);
    case DType::kU8:
      return LoadAs<uint8_t>(src);
    case DType::kI16:
      return LoadAs<int16_t>(src);
    case DType::kU16:
      return LoadAs<uint16_t>(src);
    case DType::kI32:
      return LoadAs<int32_t>(src);
    case DType::kU32:
      return LoadAs<uint32_t>(src);
    default:
      return LoadAs<int64_t>(src);
  }
}

void StoreInteger(DType dtype, int64_t value, std::byte* dst) {
  switch (ByteWidth(dtype)) {
    case 1:
      return StoreAs<uint8_t>(value, dst);
    case 2:
      return StoreAs<uint16_t>(value, dst);
    case 4:
      return StoreAs<uint32_t>(value, dst);
    default:
      return StoreAs<int64_t>(value, dst);
  }
}

}  // namespace accel::runtime
