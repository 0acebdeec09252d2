// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command that goes on with a run, as a shell takes it.
// failure-report.test runs it.
#include "tools/accel-run/failure_report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::testing {
namespace {

using ::testing::ElementsAre;
using tools::ResumingWords;
using tools::ShellCommand;

TEST(ShellCommandTest, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(ShellCommand({"accel-run", "my plan", "--data", "a*.bin", "it's",
                          "", "x=a.npy:u32", "$HOME", "~", "a;b"}),
            R"(accel-run 'my plan' --data 'a*.bin' 'it'\''s' '' x=a.npy:u32 )"
            "'$HOME' \\\n    '~' 'a;b'");
}

TEST(ShellCommandTest, ALongWordStaysWhole) {
  const std::string word(100, 'w');
  EXPECT_EQ(ShellCommand({"a", word, "b"}), "a \\\n    " + word + " \\\n    b");
}

TEST(ResumingWordsTest, TheRunsOwnCheckpointsReplaceWhatWasResumed) {
  EXPECT_THAT(
      ResumingWords(
          {"accel-run", "plan", "--resume", "elsewhere", "--run-dir=run", "-q"},
          "run", /*names_directory=*/true),
      ElementsAre("accel-run", "plan", "--run-dir=run", "-q", "--resume=auto"));
  EXPECT_THAT(ResumingWords({"accel-run", "--resume=auto", "plan"},
                            "runs/plan-001", /*names_directory=*/false),
              ElementsAre("accel-run", "plan", "--run-dir", "runs/plan-001",
                          "--resume=auto"));
}

}  // namespace
}  // namespace accel::testing
