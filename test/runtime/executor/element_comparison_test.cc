// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences that sums in another order explain, and others.
#include "runtime/executor/element_comparison.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

template <typename T>
ElementComparison Compare(DType dtype, const std::vector<T>& expected,
                          const std::vector<T>& got) {
  const auto bytes = [](const std::vector<T>& numbers) {
    return absl::MakeConstSpan(
        reinterpret_cast<const std::byte*>(numbers.data()),
        numbers.size() * sizeof(T));
  };
  return CompareElements(dtype, bytes(expected), bytes(got));
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(ElementComparisonTest, EqualTensorsDoNotDiffer) {
  const auto compared =
      Compare<float>(DType::kF32, {1, kNan, kInfinity}, {1, kNan, kInfinity});
  EXPECT_EQ(compared.elements, 3u);
  EXPECT_EQ(compared.different, 0u);
  EXPECT_EQ(compared.worst, 0);
}

TEST(ElementComparisonTest, DifferencesAreOfTheLargestMagnitude) {
  // Both by a hundredth of what is allowed of 8.
  const auto compared =
      Compare<float>(DType::kF32, {8, 0, 1}, {8, 8e-6f, 1 - 8e-6f});
  EXPECT_EQ(compared.different, 2u);
  EXPECT_NEAR(compared.worst, 0.01, 1e-3);
  EXPECT_TRUE(compared.IsClose());
  EXPECT_FALSE(Compare<float>(DType::kF32, {8, 0}, {8, 1e-3f}).IsClose());
  EXPECT_FALSE(Compare<float>(DType::kF32, {0}, {1e-30f}).IsClose());
}

TEST(ElementComparisonTest, NarrowFloatsMayDifferByTwoSteps) {
  // 1 and what follows it.
  EXPECT_TRUE(Compare<uint16_t>(DType::kBF16, {0x3f80}, {0x3f82}).IsClose());
  EXPECT_FALSE(Compare<uint16_t>(DType::kBF16, {0x3f80}, {0x3f83}).IsClose());
  EXPECT_TRUE(Compare<uint16_t>(DType::kF16, {0x3c00}, {0x3c02}).IsClose());
  EXPECT_FALSE(Compare<uint16_t>(DType::kF16, {0x3c00}, {0x3c03}).IsClose());
}

TEST(ElementComparisonTest, SumsOfTf32MayDifferByTwoStepsOfIt) {
  const auto differs = [](float by, bool are_coarse) {
    const float expected = 8;
    const float got = 8 + by;
    return !CompareElements(
                DType::kF32,
                absl::MakeConstSpan(
                    reinterpret_cast<const std::byte*>(&expected), 4),
                absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&got),
                                    4),
                are_coarse)
                .IsClose();
  };
  EXPECT_FALSE(differs(8 * 0x1p-9F, true));
  EXPECT_TRUE(differs(8 * 0x1.1p-9F, true));
  EXPECT_TRUE(differs(8 * 0x1p-9F, false));
}

TEST(ElementComparisonTest, CoarseSumsAreNotHeldToMoreThanTheirType) {
  const uint16_t expected = 0x3f80;
  const uint16_t got = 0x3f82;
  EXPECT_TRUE(
      CompareElements(
          DType::kBF16,
          absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&expected), 2),
          absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&got), 2),
          /*are_coarse=*/true)
          .IsClose());
}

TEST(ElementComparisonTest, WhatIsNotFiniteMustBeTheSame) {
  for (const auto& [expected, got] :
       {std::pair{1.0f, kNan}, std::pair{kNan, 1.0f},
        std::pair{kInfinity, 1.0f}, std::pair{1.0f, -kInfinity},
        std::pair{kInfinity, -kInfinity}}) {
    EXPECT_FALSE(Compare<float>(DType::kF32, {expected}, {got}).IsClose());
  }
  // NaNs of other bits are equal.
  const auto compared =
      Compare<uint32_t>(DType::kF32, {0x7fc00000}, {0x7fffffff});
  EXPECT_EQ(compared.different, 0u);
  // Beside one that differs, too; and a zero of the other sign does.
  EXPECT_EQ(Compare<uint32_t>(DType::kF32, {0x7fc00000, 0x3f800000},
                              {0x7fffffff, 0x3f800001})
                .different,
            1u);
  EXPECT_EQ(Compare<float>(DType::kF32, {0.0f, 1}, {-0.0f, 1}).different, 1u);
}

TEST(ElementComparisonTest, WholeNumbersMustBeEqual) {
  EXPECT_TRUE(Compare<int64_t>(DType::kI64, {7}, {7}).IsClose());
  EXPECT_FALSE(Compare<int64_t>(DType::kI64, {1000000}, {1000001}).IsClose());
  EXPECT_FALSE(Compare<uint8_t>(DType::kF8E4M3, {1}, {2}).IsClose());
}

}  // namespace
}  // namespace accel::runtime
