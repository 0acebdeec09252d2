// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values from the tables of IEEE 754 and of bf16, and every other one by
// arithmetic.
#include "runtime/base/widen_floats.h"

#include <bit>
#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

using ::testing::ElementsAre;

TEST(WidenFloatsTest, F16HasTheValuesOfTheStandard) {
  const auto value = [](uint16_t bits) {
    return std::bit_cast<float>(WidenF16(bits));
  };
  EXPECT_EQ(value(0x3c00), 1.0f);
  EXPECT_EQ(value(0xc000), -2.0f);
  EXPECT_EQ(value(0x7bff), 65504.0f);      // the largest
  EXPECT_EQ(value(0x0400), 0x1p-14f);      // the smallest normal one
  EXPECT_EQ(value(0x0001), 0x1p-24f);      // the smallest of all
  EXPECT_EQ(value(0x03ff), 0x1.ff8p-15f);  // the largest subnormal one
  EXPECT_EQ(value(0x3555), 0x1.554p-2f);   // the one nearest to a third
  EXPECT_EQ(WidenF16(0x8000), 0x80000000u);
  EXPECT_EQ(WidenF16(0x7c00), 0x7f800000u);
  EXPECT_EQ(WidenF16(0xfc00), 0xff800000u);
  EXPECT_EQ(WidenF16(0xfe01), 0xffc02000u);  // a NaN and its payload
}

TEST(WidenFloatsTest, EveryFiniteF16IsItsFractionTimesAPowerOfTwo) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const int exponent = static_cast<int>(bits >> 10 & 0x1f);
    const int fraction = static_cast<int>(bits & 0x3ff);
    if (exponent == 0x1f) {
      continue;
    }
    const float expected =
        exponent == 0
            ? std::ldexp(static_cast<float>(fraction), -24)
            : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    ASSERT_EQ(std::bit_cast<float>(WidenF16(static_cast<uint16_t>(bits))),
              (bits & 0x8000) != 0 ? -expected : expected)
        << bits;
  }
}

TEST(WidenFloatsTest, Bf16IsTheUpperHalf) {
  EXPECT_EQ(std::bit_cast<float>(WidenBf16(0x3f80)), 1.0f);
  EXPECT_EQ(std::bit_cast<float>(WidenBf16(0xc049)), -3.140625f);
  EXPECT_EQ(WidenBf16(0x0001), 0x00010000u);  // subnormal
}

TEST(WidenFloatsTest, WholeTensors) {
  const std::vector<uint16_t> halves = {0x3c00, 0xc000, 0x0001};
  const auto src =
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(halves.data()), 6);
  std::vector<float> floats(3);
  const auto dst =
      absl::MakeSpan(reinterpret_cast<std::byte*>(floats.data()), 12);
  WidenToF32(DType::kF16, src, dst);
  EXPECT_THAT(floats, ElementsAre(1.0f, -2.0f, 0x1p-24f));
  WidenToF32(DType::kBF16, src, dst);
  EXPECT_THAT(floats, ElementsAre(0.0078125f, -2.0f, 0x1p-133f));
  const std::vector<float> same = {1.5f, -0.0f, 3.0f};
  WidenToF32(
      DType::kF32,
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(same.data()), 12),
      dst);
  EXPECT_EQ(floats, same);
  EXPECT_TRUE(std::signbit(floats[1]));
}

TEST(WidenFloatsTest, OnlyWhatF32HoldsExactly) {
  for (int i = 0; i <= static_cast<int>(DType::kF64); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(IsWithinF32(dtype), dtype == DType::kF16 ||
                                      dtype == DType::kBF16 ||
                                      dtype == DType::kF32);
  }
}

}  // namespace
}  // namespace accel::runtime
