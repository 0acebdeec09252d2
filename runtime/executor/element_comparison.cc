// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences in units of the type's precision.
#include "runtime/executor/element_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/executor/float_reader.h"

namespace accel::runtime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of the largest magnitude. TF32 has the mantissa of f16: each operand is off
// by up to 2^-11 of itself, so what a sum consists of is by 2^-10, and as much
// again is for sums that are smaller than what they consist of. Of products of
// 8 bits an H200 keeps some 14 bits below the largest while it sums them.
constexpr double kCoarseTolerance = 0x1p-9;

double ToleranceOf(DType dtype, bool are_coarse) {
  const double own = dtype == DType::kBF16  ? 0x1p-6
                     : dtype == DType::kF16 ? kCoarseTolerance
                                            : 1e-4;
  return are_coarse ? std::max(own, kCoarseTolerance) : own;
}

double DifferenceOf(double expected, double got) {
  if (std::isnan(expected) || std::isnan(got)) {
    return std::isnan(expected) == std::isnan(got) ? 0 : kInfinity;
  }
  if (std::isinf(expected) || std::isinf(got)) {
    return expected == got ? 0 : kInfinity;
  }
  return std::fabs(expected - got);
}

template <typename Expected, typename Got, typename AreOtherBits>
void CompareNumbers(Expected expected, Got got, AreOtherBits are_other_bits,
                    double tolerance, ElementComparison& comparison) {
  double largest = 0;
  double difference = 0;
  uint64_t equal_nans = 0;
  for (uint64_t i = 0; i < comparison.elements; ++i) {
    const double number = expected(i);
    const double other = got(i);
    if (std::isfinite(number)) {
      largest = std::max(largest, std::fabs(number));
    }
    difference = std::max(difference, DifferenceOf(number, other));
    equal_nans += std::isnan(number) && std::isnan(other) && are_other_bits(i);
  }
  if (difference > 0) {
    comparison.worst =
        largest > 0 ? difference / (largest * tolerance) : kInfinity;
  }
  comparison.different -= equal_nans;
}

}  // namespace

ElementComparison CompareElements(DType dtype,
                                  absl::Span<const std::byte> expected,
                                  absl::Span<const std::byte> got,
                                  bool are_coarse) {
  const auto width = static_cast<uint64_t>(ByteWidth(dtype));
  ElementComparison comparison;
  comparison.elements = expected.size() / width;
  const auto are_other_bits = [&](uint64_t i) {
    return std::memcmp(expected.data() + i * width, got.data() + i * width,
                       width) != 0;
  };
  for (uint64_t i = 0; i < comparison.elements; ++i) {
    comparison.different += are_other_bits(i);
  }
  if (comparison.different == 0) {
    return comparison;
  }
  const bool are_floats =
      VisitFloats(dtype, expected.data(), [&](auto expected_number) {
        VisitFloats(dtype, got.data(), [&](auto got_number) {
          CompareNumbers(expected_number, got_number, are_other_bits,
                         ToleranceOf(dtype, are_coarse), comparison);
        });
      });
  if (!are_floats) {
    comparison.worst = kInfinity;
  }
  return comparison;
}

}  // namespace accel::runtime
