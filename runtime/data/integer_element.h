// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single integers of any width in raw memory, for conversions between the types
// of files and fields.
#ifndef ACCEL_RUNTIME_DATA_INTEGER_ELEMENT_H_
#define ACCEL_RUNTIME_DATA_INTEGER_ELEMENT_H_

#include <cstddef>
#include <cstdint>

#include "runtime/base/dtype.h"

namespace accel::runtime {

// An inclusive range of values; the default is everything.
struct IntegerRange {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;

  bool Contains(int64_t value) const { return value >= min && value <= max; }
};

// Whether the type's values pass through int64 unchanged: bool and every
// integer type but u64.
bool IsInt64Compatible(DType dtype);

// What the type can hold, e.g. [0, 65535].
// Requires: IsInt64Compatible(dtype).
IntegerRange ValuesOf(DType dtype);

// Requires: IsInt64Compatible(dtype). A bool is 1 for every byte but 0.
int64_t LoadInteger(DType dtype, const std::byte* src);

// Requires: IsInt64Compatible(dtype); ValuesOf(dtype).Contains(value).
void StoreInteger(DType dtype, int64_t value, std::byte* dst);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_INTEGER_ELEMENT_H_
