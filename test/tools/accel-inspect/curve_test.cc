// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Curves in characters and as SVG.
#include "tools/accel-inspect/curve.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/accel-inspect/curve_svg.h"
#include "tools/accel-inspect/curve_text.h"

namespace accel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using tools::Curve;
using tools::CurveText;
using tools::MetricsRun;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

MetricsRun WithLosses(const std::vector<double>& losses) {
  MetricsRun run;
  for (const double loss : losses) {
    tools::MetricsStep& step = run.steps.emplace_back();
    step.step = static_cast<int64_t>(run.steps.size());
    step.loss = loss;
  }
  return run;
}

MetricsRun WithEvaluations(
    MetricsRun run, const std::vector<std::pair<int64_t, double>>& losses) {
  for (const auto& [step, loss] : losses) {
    run.evaluations.push_back({step, loss, 10});
  }
  return run;
}

TEST(CurveTest, TicksAreRoundAndInTheRange) {
  EXPECT_THAT(tools::RoundTicks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(tools::RoundTicks(2.3, 5.6, 4), ElementsAre(3, 4, 5));
  EXPECT_THAT(tools::RoundTicks(-1, 1, 2), ElementsAre(-1, 0, 1));
  // Values so large that their distance is lost beside them.
  EXPECT_FALSE(tools::RoundTicks(1e300, 1.0000000000000002e300, 5).empty());
  EXPECT_FALSE(tools::RoundTicks(-1e308, 1e308, 5).empty());
  EXPECT_THAT(tools::RoundTicks(1, 1, 5), ElementsAre(1));
}

TEST(CurveTest, TicksHaveTheDigitsThatTellThemApart) {
  EXPECT_EQ(tools::TickText(2.5, 0.5), "2.5");
  EXPECT_EQ(tools::TickText(3, 0.5), "3.0");
  EXPECT_EQ(tools::TickText(0.02, 0.01), "0.02");
  EXPECT_EQ(tools::TickText(100, 20), "100");
  EXPECT_EQ(tools::TickText(2e7, 1e7), "2e+07");
}

TEST(CurveTest, AsciiDrawsWhereNothingElseIsKnown) {
  const MetricsRun run = WithLosses({4, 3, 2, 1, 0});
  EXPECT_EQ(CurveText({{"run", &run}}, {.width = 26, .height = 5}),
            "loss\n"
            "   4 +***\n"
            "     |  ******\n"
            "   2 +       ******\n"
            "     |            *****\n"
            "   0 +                ****\n"
            "     +--------------------\n"
            "      1             step 5\n");
}

TEST(CurveTest, BrailleHasEightDotsToACharacter) {
  const MetricsRun run = WithLosses({1, 0});
  const std::string text =
      CurveText({{"run", &run}}, {.width = 20, .height = 3, .unicode = true});
  EXPECT_THAT(text, HasSubstr("\xe2\x94\xa4\xe2\xa0"));  // the axis, a dot
  EXPECT_THAT(text, Not(HasSubstr("*")));
}

TEST(CurveTest, SeveralRunsHaveLettersAndAKey) {
  const MetricsRun one = WithLosses({4, 4, 4});
  const MetricsRun two = WithLosses({0, 0, 0});
  const std::string text = CurveText({{"first", &one}, {"second", &two}},
                                     {.width = 20, .height = 3});
  EXPECT_THAT(text, HasSubstr("4 +a"));
  EXPECT_THAT(text, HasSubstr("0 +b"));
  EXPECT_THAT(text, HasSubstr("      a  first\n      b  second\n"));
}

TEST(CurveTest, EvaluationsAreLettersOverTheLine) {
  const MetricsRun run =
      WithEvaluations(WithLosses({4, 3, 2, 1, 0}), {{2, 4}, {4, 2}});
  EXPECT_EQ(CurveText({{"run", &run}}, {.width = 26, .height = 5}),
            "loss\n"
            "   4 +***  o\n"
            "     |  ******\n"
            "   2 +       ****** o\n"
            "     |            *****\n"
            "   0 +                ****\n"
            "     +--------------------\n"
            "      1             step 5\n"
            "      o  evaluation\n");
  const std::string dots =
      CurveText({{"run", &run}}, {.width = 26, .height = 5, .unicode = true});
  EXPECT_THAT(dots, HasSubstr("  o\n"));
  EXPECT_THAT(dots, HasSubstr("      o  evaluation\n"));
}

TEST(CurveTest, EvaluationsOfSeveralRunsHaveTheirRunsLetter) {
  const MetricsRun one = WithLosses({4, 4, 4});
  const MetricsRun two = WithEvaluations(WithLosses({0, 0, 0}), {{3, 2}});
  const std::string text = CurveText({{"first", &one}, {"second", &two}},
                                     {.width = 20, .height = 3});
  EXPECT_THAT(text, HasSubstr("2 +             B\n"));
  EXPECT_THAT(text, HasSubstr("      a  first\n      b  second\n"
                              "      B  second, evaluation\n"));
}

// What is measured may lie above and below all losses of steps.
TEST(CurveTest, TheRangeHoldsEvaluations) {
  const MetricsRun run =
      WithEvaluations(WithLosses({3, 2}), {{1, 9}, {2, -1}, {2, kNan}});
  const tools::CurveRange range = tools::RangeOf({{"run", &run}});
  EXPECT_EQ(range.lowest, -1);
  EXPECT_EQ(range.highest, 9);
  const MetricsRun lost = WithEvaluations(WithLosses({kNan, kNan}), {{2, 1}});
  EXPECT_FALSE(tools::RangeOf({{"run", &lost}}).empty);
}

TEST(CurveTest, SvgHasABrokenLineWithDotsForEvaluations) {
  const MetricsRun one = WithLosses({2, 1, 1, 1});
  const MetricsRun two = WithEvaluations(WithLosses({3, 2, 2, 2}),
                                         {{1, 4}, {2, 3}, {3, kNan}, {4, 2.5}});
  const std::string svg = tools::CurveSvg({{"one", &one}, {"two", &two}});
  EXPECT_THAT(svg, HasSubstr("<polyline class=\"l e c1\" points="));
  EXPECT_THAT(svg, Not(HasSubstr("<polyline class=\"l e c0\"")));
  EXPECT_THAT(svg, HasSubstr(">two, evaluation</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">one, evaluation</text>")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  // Two, and the one behind the gap, once as a line of one point.
  int dots = 0;
  for (size_t at = svg.find(" cx="); at != std::string::npos;
       at = svg.find(" cx=", at + 1)) {
    ++dots;
  }
  EXPECT_EQ(dots, 4);
  const std::string alone = tools::CurveSvg({{"two", &two}});
  EXPECT_THAT(alone, HasSubstr("<polyline class=\"l c0\""));
  EXPECT_THAT(alone, HasSubstr("<polyline class=\"l e c1\""));
  EXPECT_THAT(alone, HasSubstr(".c1{stroke:"));
  EXPECT_THAT(alone, HasSubstr(">training</text>"));
  EXPECT_THAT(alone, HasSubstr(">evaluation</text>"));
  EXPECT_THAT(tools::CurveSvg({{"one", &one}}), Not(HasSubstr(">training<")));
}

TEST(CurveTest, OddCurvesAreDrawn) {
  for (const std::vector<double>& losses : {std::vector<double>{1},
                                            {2, 2, 2},
                                            {kNan, 1},
                                            {1, kNan, 3},
                                            {-5, 5},
                                            {1e308, -1e308},
                                            {0}}) {
    const MetricsRun run = WithLosses(losses);
    for (const bool unicode : {false, true}) {
      const std::string text = CurveText(
          {{"run", &run}}, {.width = 1, .height = 3, .unicode = unicode});
      EXPECT_THAT(text, HasSubstr("step "));
      EXPECT_THAT(text, Not(HasSubstr("nan")));
    }
    EXPECT_THAT(tools::CurveSvg({{"run", &run}}), Not(HasSubstr("nan")));
  }
}

TEST(CurveTest, WithoutAFiniteLossThereIsNothingToDraw) {
  const MetricsRun run = WithLosses({kNan, kNan});
  EXPECT_EQ(CurveText({{"run", &run}}, {}),
            "no loss is finite: there is nothing to draw\n");
  EXPECT_THAT(tools::CurveSvg({{"run", &run}}), HasSubstr("no loss is finite"));
}

TEST(CurveTest, TheLocaleDecides) {
  EXPECT_TRUE(tools::IsUtf8Locale(nullptr, nullptr, "en_GB.UTF-8"));
  EXPECT_TRUE(tools::IsUtf8Locale("", "C.utf8", "C"));
  EXPECT_FALSE(tools::IsUtf8Locale("C", nullptr, "en_GB.UTF-8"));
  EXPECT_FALSE(tools::IsUtf8Locale(nullptr, nullptr, nullptr));
}

TEST(CurveTest, SvgHasALightAndADarkFormAndNothingFromOutside) {
  const MetricsRun one = WithLosses({2, 1});
  const MetricsRun two = WithLosses({3, 1});
  const std::string svg = tools::CurveSvg({{"a<b>&\"", &one}, {"other", &two}});
  EXPECT_THAT(svg, HasSubstr("@media (prefers-color-scheme:dark){.s{"));
  EXPECT_THAT(svg, HasSubstr("a&lt;b&gt;&amp;&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("a<b>")));
  EXPECT_THAT(svg, HasSubstr("class=\"l c0\" points="));
  EXPECT_THAT(svg, HasSubstr("class=\"l c1\" points="));
  EXPECT_THAT(svg, Not(HasSubstr("href")));
}

// Of a hundred thousand steps a reader sees a few thousand points.
TEST(CurveTest, ALongRunStaysASmallPicture) {
  std::vector<double> losses;
  for (int i = 0; i < 100000; ++i) {
    losses.push_back(i % 7);
  }
  const MetricsRun run = WithLosses(losses);
  EXPECT_LT(tools::CurveSvg({{"run", &run}}).size(), 100000u);
}

}  // namespace
}  // namespace accel::testing
