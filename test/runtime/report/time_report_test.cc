// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time before the first step went.
#include "runtime/report/time_report.h"

#include <string>

#include "gmock/gmock.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::ParseStartTicks;
using runtime::TimeReport;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::ElementsAre;

TEST(TimeReportTest, PartsAddUpAndShortOnesAreOne) {
  const TimeReport::Clock::time_point begin;
  TimeReport report(begin);
  report.Finish("reading the plan", begin + milliseconds(300));
  report.Finish("checks", begin + milliseconds(300) + microseconds(60));
  report.Finish("initial weights", begin + milliseconds(900));
  report.Finish("flags", begin + milliseconds(900) + microseconds(40));
  report.Finish("reading the plan", begin + milliseconds(1000));
  EXPECT_THAT(
      report.Lines(),
      ElementsAre(
          "time report: the first step began 1.0000 seconds after the start",
          "  ----Wall Time----  ----Name----",
          "     0.4000 ( 40.0%)  reading the plan",
          "     0.5999 ( 60.0%)  initial weights",
          "     0.0001 (  0.0%)  everything else",
          "     1.0000 (100.0%)  Total"));
}

// The name of a program may look like fields.
TEST(TimeReportTest, TheStartIsField22) {
  EXPECT_THAT(ParseStartTicks("14114 (a) R 7) R 1 2 3 4 5 6 7 8 9 10 11 12 13 "
                              "14 15 16 17 18 4938282 2998272\n"),
              IsOkAndHolds(4938282u));
  for (const std::string text : {"", "14114 (cut", "1 (cut) R 1 2 3",
                                 "1 (a) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 "
                                 "16 17 18 x 3"}) {
    EXPECT_THAT(ParseStartTicks(text),
                StatusIs(absl::StatusCode::kNotFound,
                         "expected the time of the start in field 22, got no "
                         "such number"));
  }
}

// As the kernel says of this very process.
TEST(TimeReportTest, ThisProcessHasAnAge) {
  const auto vfs = runtime::MakePosixVfs();
  ASSERT_OK_AND_ASSIGN(const auto first, runtime::ReadProcessAge(*vfs));
  ASSERT_OK_AND_ASSIGN(const auto second, runtime::ReadProcessAge(*vfs));
  EXPECT_GE(first.count(), 0);
  EXPECT_GE(second, first);
  EXPECT_LT(first, std::chrono::hours(24));
}

}  // namespace
}  // namespace accel::testing
