// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders are bijections for every size, differ by seed and epoch, and small
// ones are spread evenly.
#include "runtime/random/permutation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

std::vector<uint64_t> Order(uint64_t seed, uint64_t epoch, uint64_t n) {
  const Permutation permutation(seed, epoch, n);
  std::vector<uint64_t> order(n);
  for (uint64_t i = 0; i < n; ++i) {
    order[i] = permutation(i);
  }
  return order;
}

bool IsBijection(std::vector<uint64_t> order) {
  std::sort(order.begin(), order.end());
  std::vector<uint64_t> identity(order.size());
  std::iota(identity.begin(), identity.end(), uint64_t{0});
  return order == identity;
}

TEST(PermutationTest, IsABijectionForEverySmallSize) {
  for (uint64_t n = 1; n <= 300; ++n) {
    EXPECT_TRUE(IsBijection(Order(7, 0, n))) << n;
  }
}

TEST(PermutationTest, IsABijectionAroundPowersOfTwo) {
  for (const uint64_t n : {1023, 1024, 1025, 65535, 65536, 65537}) {
    EXPECT_TRUE(IsBijection(Order(7, 3, n))) << n;
  }
}

TEST(PermutationTest, HugeSizesStayInside) {
  for (const uint64_t n : {uint64_t{1} << 40, (uint64_t{1} << 40) + 1,
                           uint64_t{INT64_MAX}, UINT64_MAX}) {
    const Permutation permutation(7, 0, n);
    std::vector<uint64_t> values;
    for (uint64_t i = 0; i < 64; ++i) {
      values.push_back(permutation(n - 1 - i));
      EXPECT_LT(values.back(), n);
    }
    std::sort(values.begin(), values.end());
    EXPECT_EQ(std::unique(values.begin(), values.end()), values.end()) << n;
  }
}

TEST(PermutationTest, SeedAndEpochGiveOtherOrders) {
  EXPECT_EQ(Order(1, 0, 100), Order(1, 0, 100));
  EXPECT_NE(Order(1, 0, 100), Order(2, 0, 100));
  EXPECT_NE(Order(1, 0, 100), Order(1, 1, 100));
  EXPECT_NE(Order(1, 0, 100), Order(1, uint64_t{1} << 32, 100));
}

// Pins the function itself: a resumed run must find the order it left.
TEST(PermutationTest, StaysTheSameFunctionForEver) {
  EXPECT_EQ(Order(0, 0, 8), (std::vector<uint64_t>{4, 2, 6, 0, 7, 1, 5, 3}));
  EXPECT_EQ(Order(1234567890123, 5, 11),
            (std::vector<uint64_t>{2, 0, 7, 4, 1, 6, 10, 3, 9, 5, 8}));
}

TEST(PermutationTest, AllOrdersOfFourRowsAreEquallyLikely) {
  constexpr int kEpochs = 24000;
  std::map<std::vector<uint64_t>, int> counts;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    ++counts[Order(11, epoch, 4)];
  }
  ASSERT_EQ(counts.size(), 24);
  double chi_square = 0;
  for (const auto& [order, count] : counts) {
    const double expected = kEpochs / 24.0;
    chi_square += (count - expected) * (count - expected) / expected;
  }
  // 23 degrees of freedom: beyond 60 once in 30,000 times.
  EXPECT_LT(chi_square, 60);
}

TEST(PermutationTest, RowsAreSpreadOverPlaces) {
  constexpr uint64_t kRows = 1000;
  // The mean distance between neighbours of a random order is n / 3.
  const std::vector<uint64_t> order = Order(5, 0, kRows);
  double distance = 0;
  for (uint64_t i = 1; i < kRows; ++i) {
    distance += static_cast<double>(std::max(order[i], order[i - 1]) -
                                    std::min(order[i], order[i - 1]));
  }
  EXPECT_NEAR(distance / (kRows - 1), kRows / 3.0, 25);
}

}  // namespace
}  // namespace accel::runtime
