// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found in tensors of each type, and what is passed over.
#include "runtime/executor/finite_scan.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

using planpb::Access;

template <typename T>
absl::Span<const std::byte> BytesOf(const std::vector<T>& values) {
  return absl::MakeConstSpan(reinterpret_cast<const std::byte*>(values.data()),
                             values.size() * sizeof(T));
}

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(FiniteScanTest, TheFirstOfSeveralPiecesIsKept) {
  FiniteScan scan(DType::kF32, Access::INFINITIES_NONE);
  scan.Add(BytesOf<float>({1, -3, 2}));
  EXPECT_FALSE(scan.found());
  scan.Add(BytesOf<float>({0, kInf, NAN}));
  scan.Add(BytesOf<float>({-kInf}));
  ASSERT_TRUE(scan.found());
  EXPECT_EQ(scan.first(), 4u);
  EXPECT_EQ(scan.value(), kInf);
  EXPECT_EQ(scan.faults(), 3u);
  EXPECT_EQ(scan.elements(), 7u);
  EXPECT_EQ(scan.largest(), 3);
  EXPECT_EQ(scan.largest_element(), 1u);
}

TEST(FiniteScanTest, InfinitiesAreAllowedBySignAndNanNever) {
  const std::vector<float> values = {-kInf, kInf, NAN};
  const struct {
    Access::Infinities allowed;
    uint64_t first, faults;
  } cases[] = {{Access::INFINITIES_NONE, 0, 3},
               {Access::INFINITIES_NEGATIVE, 1, 2},
               {Access::INFINITIES_POSITIVE, 0, 2},
               {Access::INFINITIES_BOTH, 2, 1}};
  for (const auto& each : cases) {
    FiniteScan scan(DType::kF32, each.allowed);
    scan.Add(BytesOf(values));
    EXPECT_EQ(scan.first(), each.first) << each.allowed;
    EXPECT_EQ(scan.faults(), each.faults) << each.allowed;
  }
}

// Every value of both types, against their definition.
TEST(FiniteScanTest, SixteenBitTypesAreDecoded) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    const int exponent_bits = dtype == DType::kF16 ? 5 : 8;
    const int fraction_bits = 15 - exponent_bits;
    uint64_t nans = 0, infinities = 0;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      FiniteScan scan(dtype, Access::INFINITIES_NONE);
      scan.Add(BytesOf<uint16_t>({static_cast<uint16_t>(bits)}));
      const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
      const bool finite = exponent != (1 << exponent_bits) - 1;
      ASSERT_EQ(scan.found(), !finite) << bits;
      if (!finite) {
        (std::isnan(scan.value()) ? nans : infinities) += 1;
      } else if (dtype == DType::kBF16) {
        // The upper half of an f32.
        const uint32_t wide = bits << 16;
        float value = 0;
        std::memcpy(&value, &wide, sizeof value);
        ASSERT_EQ(scan.largest(), std::fabs(value)) << bits;
      }
    }
    EXPECT_EQ(infinities, 2u);
    EXPECT_EQ(nans, (uint64_t{2} << fraction_bits) - 2);
  }
  FiniteScan scan(DType::kF16, Access::INFINITIES_NONE);
  scan.Add(BytesOf<uint16_t>({0x3c00, 0xfbff, 0x0001}));  // 1, -65504, 2^-24
  EXPECT_EQ(scan.largest(), 65504);
}

TEST(FiniteScanTest, IntegersAndCodesAreNoNumbersHere) {
  EXPECT_TRUE(CanScan(DType::kF64));
  EXPECT_FALSE(CanScan(DType::kU8));
  EXPECT_FALSE(CanScan(DType::kI64));
  EXPECT_FALSE(CanScan(DType::kF8E4M3));
}

}  // namespace
}  // namespace accel::runtime
