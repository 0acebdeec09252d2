// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop over numbers, whatever their type.
#include "runtime/executor/finite_scan.h"

#include <cmath>

#include "runtime/executor/float_reader.h"

namespace accel::runtime {

bool CanScan(DType dtype) {
  return dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kF16 ||
         dtype == DType::kBF16;
}

bool FiniteScan::IsFault(double number) const {
  if (std::isnan(number)) {
    return true;
  }
  const int sign = number < 0 ? planpb::Access::INFINITIES_NEGATIVE
                              : planpb::Access::INFINITIES_POSITIVE;
  return (allowed_ & sign) == 0;
}

template <typename Read>
void FiniteScan::AddNumbers(uint64_t count, Read read) {
  for (uint64_t i = 0; i < count; ++i, ++elements_) {
    const double number = read(i);
    if (std::isfinite(number)) {
      if (std::fabs(number) > largest_) {
        largest_ = std::fabs(number);
        largest_element_ = elements_;
      }
    } else if (IsFault(number)) {
      if (faults_ == 0) {
        first_ = elements_;
        value_ = number;
      }
      ++faults_;
    }
  }
}

void FiniteScan::Add(absl::Span<const std::byte> bytes) {
  const uint64_t count =
      bytes.size() / static_cast<uint64_t>(ByteWidth(dtype_));
  VisitFloats(dtype_, bytes.data(),
              [&](auto read) { AddNumbers(count, read); });
}

}  // namespace accel::runtime
