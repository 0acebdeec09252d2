// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which samples a microbatch sees.
#include "runtime/executor/batch_plan.h"

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::BatchPlan;
using runtime::BatchRules;

constexpr int64_t kStep = 3;

// What all ranks of one layout see in a step: how often each sample, and how
// many rows are padding.
struct Seen {
  std::map<int64_t, int> samples;
  int64_t padded = 0;
  int64_t iterations = 0;

  void Add(const BatchPlan& plan, int64_t global) {
    iterations = plan.iterations();
    for (int64_t i = 0; i < iterations * plan.microbatch(); ++i) {
      const auto sample =
          plan.SampleOf(kStep, i / plan.microbatch(), i % plan.microbatch());
      if (sample.weight == 0) {
        EXPECT_EQ(sample.index, kStep * global);
        ++padded;
      } else {
        ++samples[sample.index];
      }
    }
  }
};

void CheckLayout(int64_t global, int64_t microbatch, int64_t ranks) {
  Seen seen;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    ASSERT_OK_AND_ASSIGN(
        const BatchPlan plan,
        BatchPlan::Create(global, microbatch, ranks, rank, {}));
    seen.Add(plan, global);
  }
  EXPECT_EQ(seen.samples.size(), static_cast<size_t>(global));
  EXPECT_EQ(seen.samples.begin()->first, kStep * global);
  EXPECT_EQ(seen.samples.rbegin()->first, (kStep + 1) * global - 1);
  EXPECT_EQ(seen.padded + global, seen.iterations * microbatch * ranks);
  EXPECT_LT(seen.padded, microbatch * ranks);
}

TEST(BatchPlanTest, EveryLayoutSeesEachSampleOnceAndPadsWithTheFirst) {
  for (const int64_t global : {1, 5, 6, 7, 32}) {
    for (const int64_t microbatch : {1, 2, 4, 40}) {
      for (const int64_t ranks : {1, 2, 3}) {
        CheckLayout(global, microbatch, ranks);
      }
    }
  }
}

// Whatever the number of ranks, microbatch g of M has M - 1 - g behind it; one
// that is nothing but padding has none.
TEST(BatchPlanTest, MicrobatchesAreCountedFromTheEndOfTheStep) {
  for (const int64_t ranks : {1, 2, 3}) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      ASSERT_OK_AND_ASSIGN(const BatchPlan plan,
                           BatchPlan::Create(/*global_batch=*/20,
                                             /*microbatch=*/4, ranks, rank,
                                             /*rules=*/{}));
      for (int64_t i = 0; i < plan.iterations(); ++i) {
        const int64_t expected[] = {4, 3, 2, 1, 0, 0};
        EXPECT_EQ(plan.MicrobatchesBehind(i), expected[i * ranks + rank])
            << ranks << " ranks, rank " << rank << ", iteration " << i;
        // Of all ranks it is the same one.
        EXPECT_EQ(plan.IterationsBehind(i), (5 + ranks - 1) / ranks - 1 - i);
      }
    }
  }
}

// Every sample once and in order; what is padded has weight 0 and is a sample
// that is there.
void CheckOnce(int64_t samples, int64_t microbatch, int64_t ranks) {
  std::map<int64_t, int> seen;
  int64_t rows = 0;
  int64_t steps = 0;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const BatchPlan plan =
        BatchPlan::CreateOnce(samples, microbatch, ranks, rank);
    EXPECT_LE(plan.iterations(), BatchPlan::kMostMicrobatches);
    steps = plan.steps();
    for (int64_t i = 0; i < steps * plan.iterations() * microbatch;
         ++i, ++rows) {
      const int64_t iteration = i / microbatch;
      const auto sample =
          plan.SampleOf(iteration / plan.iterations(),
                        iteration % plan.iterations(), i % microbatch);
      EXPECT_LT(sample.index, samples);
      seen[sample.index] += sample.weight == 1 ? 1 : 0;
    }
  }
  EXPECT_EQ(seen.size(), static_cast<size_t>(samples));
  for (const auto& [index, count] : seen) {
    EXPECT_EQ(count, 1) << index;
  }
  // Less than a microbatch of each rank is padding for each step.
  EXPECT_LT(rows - samples, steps * microbatch * ranks);
}

TEST(BatchPlanTest, OnceTakesEachSampleOnceHoweverManyThereAre) {
  for (const int64_t samples : {1, 2, 7, 37, 64, 65, 101}) {
    for (const int64_t microbatch : {1, 3, 4}) {
      for (const int64_t ranks : {1, 2, 3, 4}) {
        CheckOnce(samples, microbatch, ranks);
      }
    }
  }
}

TEST(BatchPlanTest, ForbiddenPaddingNamesTheNearestValidBatches) {
  const BatchRules whole = {.forbids_padding = true};
  EXPECT_OK(BatchPlan::Create(32, 4, 2, 0, whole));
  EXPECT_THAT(
      BatchPlan::Create(30, 4, 2, 0, whole),
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          "the model or its loss mixes the samples of a microbatch, so "
          "the global batch must be a multiple of 8 (microbatch 4 x 2 ranks): "
          "expected 24 or 32, got 30"));
  EXPECT_THAT(
      BatchPlan::Create(3, 4, 1, 0, whole),
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          "the model or its loss mixes the samples of a microbatch, so "
          "the global batch must be a multiple of 4 (microbatch 4 x 1 rank): "
          "expected 4, got 3"));
}

// One sample of a microbatch would have no variance.
TEST(BatchPlanTest, MicrobatchesWithTooFewSamplesForStatisticsAreRefused) {
  const BatchRules two = {.least_samples = 2};
  for (const int64_t ranks : {1, 2, 3}) {
    EXPECT_OK(BatchPlan::Create(16, 8, ranks, 0, two));
    EXPECT_OK(BatchPlan::Create(18, 8, ranks, 0, two));
    EXPECT_THAT(
        BatchPlan::Create(17, 8, ranks, 0, two),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 "the model's batch norms take their statistics of at least 2 "
                 "samples, because a channel has one element of each and a "
                 "single one has no variance: expected a global batch whose "
                 "last microbatch has so many, 16 or 18, got 17, which leaves "
                 "1 (microbatch 8)"));
  }
  EXPECT_THAT(BatchPlan::Create(1, 8, 1, 0, two),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::HasSubstr("so many, 2, got 1, which")));
}

// Those of an iteration, if statistics are taken of all ranks' microbatches.
TEST(BatchPlanTest, IterationsWithTooFewSamplesForStatisticsAreRefused) {
  const BatchRules two = {.least_samples = 2, .synchronized_statistics = true};
  EXPECT_OK(BatchPlan::Create(21, 8, 2, 0, two));
  EXPECT_OK(BatchPlan::Create(25, 8, 2, 0, two));
  EXPECT_THAT(
      BatchPlan::Create(17, 8, 2, 0, two),
      StatusIs(absl::StatusCode::kInvalidArgument,
               ::testing::HasSubstr("whose last iteration has so many, 16 or "
                                    "18, got 17, which leaves 1 (microbatch 8 "
                                    "x 2 ranks)")));
  EXPECT_OK(BatchPlan::Create(17, 8, 3, 0, two));
  // Microbatches of one sample make an iteration of two ranks.
  EXPECT_OK(BatchPlan::Create(4, 1, 2, 0, two));
  EXPECT_THAT(BatchPlan::Create(4, 1, 1, 0, two),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::HasSubstr(
                           "expected more ranks or a larger microbatch (accelc "
                           "--dim batch=), got 1 (microbatch 1 x 1 rank)")));
}

TEST(BatchPlanTest, BatchesOutOfRangeAreRefused) {
  EXPECT_THAT(BatchPlan::Create(0, 4, 1, 0, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "expected a global batch between 1 and 2147483648 "
                       "samples, got 0"));
  EXPECT_FALSE(BatchPlan::Create(int64_t{1} << 40, 4, 1, 0, {}).ok());
}

}  // namespace
}  // namespace accel::testing
