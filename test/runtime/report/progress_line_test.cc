// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The line fits, keeps its columns, and comes neither too often nor too late.
#include "runtime/report/progress_line.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

StepMetrics Step(int64_t step) {
  return {step, 3.45678,     3e-4,  1.2345,
          1024, 500'000'000, 12345, uint64_t{3} << 29};
}

class ProgressLineTest : public ::testing::Test {
 protected:
  Console MakeConsole(bool terminal, int width = 80) {
    return Console(
        {terminal, false, [width] { return width; }},
        [this](absl::string_view bytes) { writes_.emplace_back(bytes); });
  }

  // The steps whose lines were written.
  std::vector<std::string> ShownSteps() const {
    std::vector<std::string> steps;
    for (const std::string& text : writes_) {
      const size_t at = text.find("step ");
      if (at != std::string::npos) {
        steps.push_back(text.substr(at + 5, text.find('/') - at - 5));
      }
    }
    return steps;
  }

  std::vector<std::string> writes_;
  ProgressLine::Clock::time_point start_ = ProgressLine::Clock::now();
};

TEST_F(ProgressLineTest, AFullLineHasEveryField) {
  EXPECT_EQ(ProgressLine::Render(Step(12), 200, 94, "fp8 emulated", 0, false),
            "step  12/200  loss   3.4568  lr 3.00e-04  grad   1.234  12.3k "
            "tokens/s   1.5 GiB  ETA 1m 34s  fp8 emulated");
}

TEST_F(ProgressLineTest, TheLastEvaluationStandsBesideTheLoss) {
  StepMetrics metrics = Step(12);
  metrics.eval_loss = 3.5;
  EXPECT_EQ(ProgressLine::Render(metrics, 200, 94, "", 0, false),
            "step  12/200  loss   3.4568  eval   3.5000  lr 3.00e-04  grad   "
            "1.234  12.3k tokens/s   1.5 GiB  ETA 1m 34s");
  EXPECT_EQ(ProgressLine::Render(metrics, 200, 94, "", 54, false),
            "step  12/200  loss   3.4568  eval   3.5000  ETA 1m 34s");
  EXPECT_EQ(ProgressLine::Render(metrics, 200, 94, "", 53, false),
            "step  12/200  loss   3.4568  ETA 1m 34s");
}

TEST_F(ProgressLineTest, SkippedStepsAreNeverLeftOut) {
  StepMetrics metrics = Step(12);
  metrics.skipped_steps = 2;
  EXPECT_EQ(ProgressLine::Render(metrics, 200, 94, "", 40, false),
            "step  12/200  loss   3.4568  skipped 2");
}

TEST_F(ProgressLineTest, ALossScaleIsShownWhereThereIsRoom) {
  StepMetrics metrics = Step(12);
  metrics.loss_scale = 32768;
  EXPECT_EQ(ProgressLine::Render(metrics, 200, 94, "", 0, false),
            "step  12/200  loss   3.4568  lr 3.00e-04  grad   1.234  12.3k "
            "tokens/s   1.5 GiB  ETA 1m 34s  scale 32768");
  EXPECT_EQ(ProgressLine::Render(metrics, 200, 94, "", 40, false),
            "step  12/200  loss   3.4568  ETA 1m 34s");
}

TEST_F(ProgressLineTest, ColumnsStayPut) {
  StepMetrics other = Step(7);
  other.loss = 12.5;
  other.grad_norm = 4567;
  other.tokens_per_second = 999;
  other.peak_bytes = 1023 << 20;
  EXPECT_EQ(ProgressLine::Render(other, 200, -1, "", 0, false).size(),
            ProgressLine::Render(Step(123), 200, -1, "", 0, false).size());
}

TEST_F(ProgressLineTest, ANarrowTerminalLosesTheLeastImportantFieldsFirst) {
  const auto at = [](int width) {
    return ProgressLine::Render(Step(12), 200, 94, "", width, false);
  };
  EXPECT_EQ(at(80),
            "step  12/200  loss   3.4568  grad   1.234  12.3k tokens/s  ETA 1m "
            "34s");
  EXPECT_EQ(at(60), "step  12/200  loss   3.4568  12.3k tokens/s  ETA 1m 34s");
  EXPECT_EQ(at(40), "step  12/200  loss   3.4568  ETA 1m 34s");
  EXPECT_EQ(at(30), "step  12/200  loss   3.4568");
  EXPECT_EQ(at(10), "step  12/2");
  for (int width = 1; width < 120; ++width) {
    EXPECT_LE(at(width).size(), width);
  }
}

// The tag gives way before the time left does, which a long run is watched for.
TEST_F(ProgressLineTest, TheTimeLeftStaysAtSixtyColumns) {
  const auto at = [](int64_t step, const std::string& tag) {
    return ProgressLine::Render(Step(step), 200000, 11 * 3600, tag, 59, false);
  };
  EXPECT_EQ(at(12, "synthetic data"),
            "step     12/200000  loss   3.4568  ETA 11h 00m");
  EXPECT_EQ(at(12, ""), "step     12/200000  loss   3.4568  ETA 11h 00m");
  EXPECT_EQ(
      ProgressLine::Render(Step(12), 200, 94, "synthetic data", 59, false),
      "step  12/200  loss   3.4568  ETA 1m 34s  synthetic data");
}

// A character takes one column, however many bytes it has.
TEST_F(ProgressLineTest, WidthIsMeasuredInColumns) {
  const std::string tag = "\xc3\xa4\xc3\xb6\xc3\xbc";
  EXPECT_EQ(ProgressLine::Render(Step(12), 200, -1, tag, 32, false),
            "step  12/200  loss   3.4568  " + tag);
}

TEST_F(ProgressLineTest, NotANumberIsShownAsSuch) {
  StepMetrics metrics = Step(1);
  metrics.loss = std::numeric_limits<double>::quiet_NaN();
  metrics.grad_norm = std::numeric_limits<double>::infinity();
  EXPECT_THAT(ProgressLine::Render(metrics, 0, -1, "", 0, false),
              HasSubstr("step 1  loss      nan  lr 3.00e-04  grad     inf"));
}

TEST_F(ProgressLineTest, ALossThatExplodesKeepsTheColumns) {
  StepMetrics metrics = Step(1);
  metrics.loss = 4.2697e32;
  EXPECT_THAT(ProgressLine::Render(metrics, 0, -1, "", 0, false),
              HasSubstr("step 1  loss 4.27e+32  lr 3.00e-04"));
}

TEST_F(ProgressLineTest, ColourAddsNoColumns) {
  const std::string plain = ProgressLine::Render(Step(1), 9, -1, "", 40, false);
  const std::string color = ProgressLine::Render(Step(1), 9, -1, "", 40, true);
  EXPECT_THAT(color, HasSubstr("\x1b[1mloss   3.4568\x1b[0m"));
  EXPECT_EQ(color.size(), plain.size() + 8);
}

TEST_F(ProgressLineTest, PlainLinesAreTheFirstTheLastAndEveryTenth) {
  Console console = MakeConsole(false);
  ProgressLine progress(console, {.last_step = 25});
  for (int64_t step = 1; step <= 25; ++step) {
    progress.Update(Step(step), start_ + seconds(step));
  }
  progress.Finish();
  EXPECT_THAT(ShownSteps(), ElementsAre(" 1", "10", "20", "25"));
  EXPECT_THAT(writes_.back(), EndsWith("\n"));
}

TEST_F(ProgressLineTest, FastStepsAreNotAllShown) {
  Console console = MakeConsole(false);
  ProgressLine progress(console, {.last_step = 100000});
  for (int64_t step = 1; step <= 3000; ++step) {
    progress.Update(Step(step), start_ + milliseconds(step));
  }
  EXPECT_THAT(ShownSteps(), ElementsAre("     1", "   510", "  1010", "  1510",
                                        "  2010", "  2510"));
}

TEST_F(ProgressLineTest, SlowStepsAreShownAtTheLatestAfterTheLongestPause) {
  Console console = MakeConsole(false);
  ProgressLine progress(console, {.last_step = 9});
  for (int64_t step = 1; step <= 4; ++step) {
    progress.Update(Step(step), start_ + seconds(20 * step));
  }
  EXPECT_THAT(ShownSteps(), ElementsAre("1", "3"));
  // An early end still shows how far the run came.
  progress.Finish();
  progress.Finish();
  EXPECT_THAT(ShownSteps(), ElementsAre("1", "3", "4"));
}

TEST_F(ProgressLineTest, ATerminalHasOneLiveLineThatFitsAndEndsWithTheRun) {
  {
    Console console = MakeConsole(true, 60);
    ProgressLine progress(console, {.last_step = 3});
    for (int64_t step = 1; step <= 3; ++step) {
      progress.Update(Step(step), start_ + milliseconds(step));
    }
    progress.Finish();
  }
  EXPECT_THAT(ShownSteps(), ElementsAre("1", "3"));
  EXPECT_EQ(writes_.back(), "\n");
  for (const std::string& text : writes_) {
    EXPECT_LT(text.size(), 60 + std::string("\r\x1b[K").size());
  }
}

TEST_F(ProgressLineTest, TheTimeLeftFollowsRecentSteps) {
  Console console = MakeConsole(false);
  ProgressLine progress(console, {.last_step = 1000, .every_steps = 1});
  for (int64_t step = 1; step <= 100; ++step) {
    StepMetrics metrics = Step(step);
    metrics.step_ns = (step <= 50 ? 100 : 2) * int64_t{1'000'000'000};
    progress.Update(metrics, start_ + seconds(step));
  }
  EXPECT_THAT(writes_.back(), HasSubstr("ETA 30m 00s"));
}

TEST_F(ProgressLineTest, ARunWithoutStepsShowsNothing) {
  {
    Console console = MakeConsole(true);
    ProgressLine progress(console, {.last_step = 3});
    progress.Finish();
  }
  EXPECT_THAT(writes_, ElementsAre());
}

}  // namespace
}  // namespace accel::runtime
