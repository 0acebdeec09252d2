// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The final table is aligned and says planned against measured.
#include "runtime/report/run_summary.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

using ::testing::HasSubstr;

TEST(RunSummaryTest, TheTableSaysWhatWasTrainedHowFastAndAtWhatMemory) {
  RunSummary summary;
  summary.AddStep({1, 5.5, 0, 0, 1000, 2'000'000'000, 500, 0});
  summary.AddStep({2, 3.25, 0, 0, 1000, 1'000'000'000, 1000, 0});
  summary.AddStep({3, 3.5, 0, 0, 1000, 1'000'000'000, 1000, 0});
  summary.SetPlannedPeak(uint64_t{1} << 30);
  summary.SetMeasuredPeak((uint64_t{1} << 30) / 1000 * 1005);
  summary.AddRow("data", "'text.bin'");
  EXPECT_EQ(summary.steps(), 3);
  EXPECT_EQ(summary.Table(),
            "  steps                 3\n"
            "  loss                  5.5000 at step 1, 3.5000 at step 3, "
            "lowest 3.2500 at step 2\n"
            "  tokens                3,000\n"
            "  time in steps         4 s, 1.3 s a step\n"
            "  tokens per second     750\n"
            "  peak memory planned   1 GiB (1,073,741,824 bytes)\n"
            "  peak memory measured  1 GiB (1,079,109,705 bytes), 0.5 % "
            "more than planned\n"
            "  data                  'text.bin'\n");
}

// 104 days and eight nanoseconds: a sum of doubles would drop the eight.
TEST(RunSummaryTest, TimesAddUpToTheNanosecond) {
  RunSummary summary;
  summary.AddStep({1, 1.0, 0, 0, 0, (int64_t{1} << 53), 0, 0});
  for (int step = 2; step <= 9; ++step) {
    summary.AddStep({step, 1.0, 0, 0, 0, 1, 0, 0});
  }
  EXPECT_EQ(summary.step_ns(), (int64_t{1} << 53) + 8);
}

TEST(RunSummaryTest, SkippedStepsHaveARow) {
  RunSummary summary;
  StepMetrics metrics{1, 3.0};
  metrics.skipped_steps = 1;
  summary.AddStep(metrics);
  EXPECT_THAT(summary.Table(),
              HasSubstr("  steps skipped  1, as they were not finite\n"));
}

TEST(RunSummaryTest, TheLastLossScaleHasARow) {
  RunSummary summary;
  StepMetrics metrics{1, 3.0};
  metrics.loss_scale = 65536;
  summary.AddStep(metrics);
  EXPECT_THAT(summary.Table(),
              HasSubstr("  loss scale     65536 in the last step\n"));
}

TEST(RunSummaryTest, ARunWithoutStepsHasATableToo) {
  EXPECT_EQ(RunSummary().Table(), "  steps  0\n");
}

TEST(RunSummaryTest, NotANumberIsNeverTheLowestLoss) {
  RunSummary summary;
  summary.AddStep({1, std::numeric_limits<double>::quiet_NaN()});
  summary.AddStep({2, 3.0});
  summary.AddStep({3, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_THAT(summary.Table(),
              HasSubstr("nan at step 1, nan at step 3, lowest 3.0000 at step "
                        "2\n"));
}

}  // namespace
}  // namespace accel::runtime
