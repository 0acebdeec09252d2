// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Progress is seen, but not too often.
#include "tools/accel-data/pack_progress.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tools::PackProgress;

class PackProgressTest : public ::testing::Test {
 protected:
  runtime::Console MakeConsole(bool terminal, int width = 80) {
    return {
        {terminal, false, [width] { return width; }},
        [this](absl::string_view bytes) { absl::StrAppend(&shown_, bytes); }};
  }

  std::string shown_;
  PackProgress::Clock::time_point start_ = PackProgress::Clock::now();
};

TEST_F(PackProgressTest, ATerminalHasALiveLineThatGoesAway) {
  runtime::Console console = MakeConsole(true);
  PackProgress progress(console, 1 << 20, false, start_);
  progress.Update(1 << 18, 1234, start_ + milliseconds(50));
  EXPECT_EQ(shown_, "");
  progress.Update(1 << 18, 123456, start_ + seconds(10));
  EXPECT_THAT(shown_,
              ::testing::HasSubstr("packing  25%  256 KiB of 1 MiB  123k "
                                   "tokens  ETA 30 s"));
  shown_.clear();
  progress.Finish();
  EXPECT_THAT(shown_, ::testing::Not(::testing::HasSubstr("packing")));
  EXPECT_NE(shown_, "");
}

TEST_F(PackProgressTest, ALineNeverWraps) {
  runtime::Console console = MakeConsole(true, 20);
  PackProgress progress(console, 1 << 20, false, start_);
  progress.Update(1 << 18, 123456, start_ + seconds(10));
  EXPECT_THAT(shown_, ::testing::EndsWith("packing  25%  256 K"));
}

TEST_F(PackProgressTest, ALogHasALineNowAndThen) {
  runtime::Console console = MakeConsole(false);
  PackProgress progress(console, 1 << 20, false, start_);
  progress.Update(1 << 18, 1, start_ + seconds(29));
  EXPECT_EQ(shown_, "");
  progress.Update(1 << 19, 1000, start_ + seconds(30));
  progress.Update(1 << 19, 2000, start_ + seconds(31));
  EXPECT_EQ(shown_, "packing  50%  512 KiB of 1 MiB  1.00k tokens  ETA 30 s\n");
}

TEST_F(PackProgressTest, QuietIsQuiet) {
  runtime::Console console = MakeConsole(true);
  PackProgress progress(console, 1 << 20, true, start_);
  progress.Update(1 << 18, 1, start_ + seconds(60));
  progress.Finish();
  EXPECT_EQ(shown_, "");
}

}  // namespace
}  // namespace accel::testing
