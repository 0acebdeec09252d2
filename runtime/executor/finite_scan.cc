// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop over numbers, whatever their type.
#include "runtime/executor/finite_scan.h"

#include <cmath>
#include <cstring>

namespace accel::runtime {
namespace {

template <typename T>
T Load(const std::byte* bytes, uint64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

// Of 16 bits: a sign, `exponent_bits` of exponent, and the fraction.
double Decode(uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int mask = (1 << exponent_bits) - 1;
  const int exponent = (bits >> fraction_bits) & mask;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == mask) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  const int bias = mask / 2;
  const int scale = (exponent == 0 ? 1 : exponent) - bias - fraction_bits;
  const int whole = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
  return sign * std::ldexp(whole, scale);
}

}  // namespace

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
  const std::byte* const data = bytes.data();
  const uint64_t count =
      bytes.size() / static_cast<uint64_t>(ByteWidth(dtype_));
  switch (dtype_) {
    case DType::kF64:
      return AddNumbers(count,
                        [data](uint64_t i) { return Load<double>(data, i); });
    case DType::kF32:
      return AddNumbers(count, [data](uint64_t i) {
        return static_cast<double>(Load<float>(data, i));
      });
    case DType::kF16:
      return AddNumbers(count, [data](uint64_t i) {
        return Decode(Load<uint16_t>(data, i), 5);
      });
    default:
      return AddNumbers(count, [data](uint64_t i) {
        return Decode(Load<uint16_t>(data, i), 8);
      });
  }
}

}  // namespace accel::runtime
