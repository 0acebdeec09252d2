// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Permanent lines and the live line share a terminal without damage.
#include "runtime/report/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

using ::testing::ElementsAre;

class ConsoleTest : public ::testing::Test {
 protected:
  Console::Write Capture() {
    return [this](absl::string_view bytes) { writes_.emplace_back(bytes); };
  }
  std::vector<std::string> writes_;
};

TEST_F(ConsoleTest, TheLiveLineIsRedrawnBelowPermanentLines) {
  Console console({true, false, nullptr}, Capture());
  console.SetLive("step 1");
  console.SetLive("step 2");
  console.Sink()("warning: slow");
  console.FinishLive();
  console.PrintLine("done");
  EXPECT_THAT(writes_,
              ElementsAre("\r\x1b[Kstep 1", "\r\x1b[Kstep 2",
                          "\r\x1b[Kwarning: slow\nstep 2", "\n", "done\n"));
}

TEST_F(ConsoleTest, TheDestructorLeavesTheCursorOnAFreshLine) {
  {
    Console({true, false, nullptr}, Capture()).SetLive("step 1");
  }
  EXPECT_THAT(writes_, ElementsAre("\r\x1b[Kstep 1", "\n"));
}

TEST_F(ConsoleTest, AnUnknownWidthIsEighty) {
  EXPECT_EQ(Console({true, false, nullptr}, Capture()).Width(), 80);
  EXPECT_EQ(Console({true, false, [] { return 0; }}, Capture()).Width(), 80);
  EXPECT_EQ(Console({true, false, [] { return 132; }}, Capture()).Width(), 132);
}

TEST_F(ConsoleTest, APipeIsNoTerminal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto traits = TerminalTraits::OfDescriptor(ends[1], ColorMode::kNever);
  EXPECT_FALSE(traits.is_terminal);
  Console::ToDescriptor(ends[1])("hello");
  char buffer[8] = {};
  EXPECT_EQ(::read(ends[0], buffer, sizeof(buffer)), 5);
  EXPECT_STREQ(buffer, "hello");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(ConsoleTest, ADescriptorThatIsGoneDoesNotStopTheRun) {
  Console::ToDescriptor(-1)("lost");
}

TEST_F(ConsoleTest, ColourFollowsTheFlagThenTheEnvironmentThenTheStream) {
  constexpr auto kAuto = ColorMode::kAuto;
  EXPECT_TRUE(DecideColor(kAuto, true, nullptr, nullptr, "xterm"));
  EXPECT_FALSE(DecideColor(kAuto, false, nullptr, nullptr, "xterm"));
  EXPECT_FALSE(DecideColor(kAuto, true, nullptr, nullptr, "dumb"));
  EXPECT_FALSE(DecideColor(kAuto, true, nullptr, nullptr, nullptr));
  EXPECT_FALSE(DecideColor(kAuto, true, "1", nullptr, "xterm"));
  EXPECT_TRUE(DecideColor(kAuto, true, "", nullptr, "xterm"));
  EXPECT_TRUE(DecideColor(kAuto, false, nullptr, "1", "xterm"));
  EXPECT_FALSE(DecideColor(kAuto, false, nullptr, "0", "xterm"));
  EXPECT_FALSE(DecideColor(kAuto, true, "1", "1", "xterm"));
  EXPECT_TRUE(DecideColor(ColorMode::kAlways, false, "1", nullptr, nullptr));
  EXPECT_FALSE(DecideColor(ColorMode::kNever, true, nullptr, "1", "xterm"));
}

}  // namespace
}  // namespace accel::runtime
