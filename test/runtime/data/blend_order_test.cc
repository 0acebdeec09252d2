// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every prefix of a run is within one sample of the weights, whatever they are.
#include "runtime/data/blend_order.h"

#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kPrefix = 1'000'000;

TEST(RoundWeightsTest, SumsUpToTheUnitAndKeepsEachWithinOne) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> weights(1 + random() % 40);
    for (double& weight : weights) {
      weight = std::ldexp(1 + static_cast<double>(random() % 1000),
                          static_cast<int>(random() % 30) - 15);
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const std::vector<int64_t> quotas = RoundWeights(weights);
    EXPECT_EQ(std::accumulate(quotas.begin(), quotas.end(), int64_t{0}),
              kBlendUnit);
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(quotas[i]),
                  weights[i] / sum * static_cast<double>(kBlendUnit), 1.0);
    }
  }
}

TEST(RoundWeightsTest, IsWhatOneComputesByHand) {
  EXPECT_THAT(RoundWeights({1}), ElementsAre(1048576));
  EXPECT_THAT(RoundWeights({3, 1}), ElementsAre(786432, 262144));
  // Thirds leave one, which goes to the first.
  EXPECT_THAT(RoundWeights({1, 1, 1}), ElementsAre(349526, 349525, 349525));
  EXPECT_THAT(RoundWeights({0.999999, 0.000001}), ElementsAre(1048575, 1));
  EXPECT_THAT(RoundWeights({1, 1e-9}), ElementsAre(1048576, 0));
}

// In whole numbers: |count P - n q| < P.
void ExpectWithinOneSample(const std::vector<double>& weights) {
  const std::vector<int64_t> quotas = RoundWeights(weights);
  const BlendOrder order(quotas);
  std::vector<int64_t> counts(quotas.size());
  for (int64_t sample = 0; sample < kPrefix; ++sample) {
    const BlendOrder::Place place = order.At(sample);
    ASSERT_LT(place.dataset, counts.size());
    // Each dataset's own samples come one after the other.
    ASSERT_EQ(place.index, counts[place.dataset]) << sample;
    ++counts[place.dataset];
    for (size_t d = 0; d < counts.size(); ++d) {
      ASSERT_LT(std::abs(counts[d] * kBlendUnit - (sample + 1) * quotas[d]),
                kBlendUnit)
          << "dataset " << d << " behind sample " << sample;
    }
  }
  EXPECT_EQ(order.CountFirst(kPrefix), counts);
}

TEST(BlendOrderTest, EveryPrefixIsWithinOneSampleOfTheWeights) {
  ExpectWithinOneSample({1});
  ExpectWithinOneSample({1, 1});
  ExpectWithinOneSample({0.7, 0.3});
  ExpectWithinOneSample({0.999999, 0.000001});
  ExpectWithinOneSample({0.000001, 0.999999});
  ExpectWithinOneSample({1, 1, 1});
  ExpectWithinOneSample({0.4, 0.25, 0.15, 0.1, 0.05, 0.03, 0.02});
  ExpectWithinOneSample({0.9, 0.05, 0.03, 0.01, 0.005, 0.004, 0.001});
  ExpectWithinOneSample({7, 6, 5, 4, 3, 2, 1});
  ExpectWithinOneSample({1, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6});
}

TEST(BlendOrderTest, ManyRandomWeightsKeepToTheBound) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<double> weights(2 + random() % 10);
    for (double& weight : weights) {
      weight = 1 + static_cast<double>(random() % 10'000);
    }
    ExpectWithinOneSample(weights);
  }
}

// By hand: three of four, and one. Those of the first are due at positions 1, 2
// and 3, that of the second at 3; where both are due, the first one goes first.
TEST(BlendOrderTest, TakesWhatIsDueFirst) {
  const BlendOrder order({kBlendUnit / 4 * 3, kBlendUnit / 4});
  EXPECT_EQ(order.period(), 4);
  std::vector<size_t> taken;
  std::vector<int64_t> indices;
  for (int64_t sample = 0; sample < 8; ++sample) {
    taken.push_back(order.At(sample).dataset);
    indices.push_back(order.At(sample).index);
  }
  EXPECT_THAT(taken, ElementsAre(0, 0, 0, 1, 0, 0, 0, 1));
  EXPECT_THAT(indices, ElementsAre(0, 1, 2, 0, 3, 4, 5, 1));
}

TEST(BlendOrderTest, ManyDatasetsAreLaidOut) {
  std::vector<double> weights(kMostBlended);
  std::iota(weights.begin(), weights.end(), 1000.0);
  const BlendOrder order(RoundWeights(weights));
  const std::vector<int64_t> counts = order.CountFirst(order.period());
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}),
            order.period());
}

TEST(BlendOrderTest, AnySampleOfALongRunIsFound) {
  const BlendOrder order(RoundWeights({0.6, 0.3999, 0.0001}));
  const int64_t period = order.period();
  for (const int64_t sample :
       {int64_t{0}, period - 1, period, 3 * period + 17, int64_t{1} << 50}) {
    const BlendOrder::Place place = order.At(sample);
    // What came before it, counted in another way.
    EXPECT_EQ(place.index, order.CountFirst(sample)[place.dataset]) << sample;
    std::vector<int64_t> indices(order.datasets(), 0);
    indices[place.dataset] = place.index;
    EXPECT_EQ(order.Find(indices)[place.dataset], sample);
  }
  EXPECT_EQ(order.Find({INT64_MAX, 0, 0})[0], INT64_MAX);
}

}  // namespace
}  // namespace accel::runtime
