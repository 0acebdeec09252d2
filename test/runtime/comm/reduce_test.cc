// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions go from rank to rank in order, in the element type.
#include "runtime/comm/reduce.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

using planpb::Collective;
using ::testing::ElementsAre;

template <typename T>
std::vector<T> Reduced(DType dtype, CollectiveCall::Reduction reduction,
                       const std::vector<std::vector<T>>& inputs) {
  std::vector<const std::byte*> pointers;
  for (const std::vector<T>& input : inputs) {
    pointers.push_back(reinterpret_cast<const std::byte*>(input.data()));
  }
  std::vector<T> output(inputs[0].size());
  ReduceInOrder(dtype, reduction, pointers, output.size(),
                reinterpret_cast<std::byte*>(output.data()));
  return output;
}

TEST(ReduceTest, SumsGoFromTheFirstRankToTheLastInTheirOwnType) {
  // 2^24 + 1 is no float: 1 + 1 must not come before 2^24.
  EXPECT_THAT(Reduced<float>(DType::kF32, Collective::REDUCTION_SUM,
                             {{0x1p24F}, {1}, {1}}),
              ElementsAre(0x1p24F));
  EXPECT_THAT(Reduced<float>(DType::kF32, Collective::REDUCTION_SUM,
                             {{1}, {1}, {0x1p24F}}),
              ElementsAre(0x1p24F + 2));
  EXPECT_THAT(Reduced<double>(DType::kF64, Collective::REDUCTION_SUM,
                              {{0x1p24}, {1}, {0x1p-20}}),
              ElementsAre(0x1p24 + 1 + 0x1p-20));
}

TEST(ReduceTest, SumsOfIntegersWrapAround) {
  EXPECT_THAT(
      Reduced<int64_t>(DType::kI64, Collective::REDUCTION_SUM,
                       {{std::numeric_limits<int64_t>::max(), -5}, {1, 3}}),
      ElementsAre(std::numeric_limits<int64_t>::min(), -2));
}

TEST(ReduceTest, MaxAndMinOfEveryType) {
  EXPECT_THAT(Reduced<float>(DType::kF32, Collective::REDUCTION_MAX,
                             {{1, -4}, {3, -5}, {2, -6}}),
              ElementsAre(3, -4));
  EXPECT_THAT(Reduced<double>(DType::kF64, Collective::REDUCTION_MIN,
                              {{1, -4}, {3, -5}, {2, -6}}),
              ElementsAre(1, -6));
  // Would be equal as doubles.
  EXPECT_THAT(Reduced<int64_t>(DType::kI64, Collective::REDUCTION_MAX,
                               {{int64_t{1} << 60}, {(int64_t{1} << 60) + 1}}),
              ElementsAre((int64_t{1} << 60) + 1));
}

TEST(ReduceTest, ANanOfAnyRankStaysOne) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto reduction :
       {Collective::REDUCTION_SUM, Collective::REDUCTION_MAX,
        Collective::REDUCTION_MIN}) {
    for (size_t rank = 0; rank < 3; ++rank) {
      std::vector<std::vector<float>> inputs = {{1}, {2}, {3}};
      inputs[rank][0] = nan;
      EXPECT_TRUE(std::isnan(Reduced<float>(DType::kF32, reduction, inputs)[0]))
          << "reduction " << reduction << ", rank " << rank;
    }
  }
}

TEST(ReduceTest, NothingNeedBeAligned) {
  std::vector<std::byte> bytes(1 + 3 * sizeof(float));
  const float values[3] = {1, 2, 3};
  std::memcpy(bytes.data() + 1, values, sizeof values);
  const std::byte* inputs[2] = {bytes.data() + 1, bytes.data() + 1};
  ReduceInOrder(DType::kF32, Collective::REDUCTION_SUM, inputs, 3,
                bytes.data() + 1);
  float sums[3];
  std::memcpy(sums, bytes.data() + 1, sizeof sums);
  EXPECT_THAT(sums, ElementsAre(2, 4, 6));
}

}  // namespace
}  // namespace accel::runtime
