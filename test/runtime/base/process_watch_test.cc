// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The death of a process is seen at once, also before its parent asks.
#include "runtime/base/process_watch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

TEST(ProcessWatchTest, SeesTheDeathOfAProcessThatNobodyHasAskedFor) {
  const pid_t child = fork();
  if (child == 0) {
    while (true) {
      pause();
    }
  }
  ASSERT_OK_AND_ASSIGN(const ProcessWatch watch, ProcessWatch::Open(child));
  EXPECT_FALSE(watch.HasEnded());
  kill(child, SIGKILL);
  for (int i = 0; i < 1000 && !watch.HasEnded(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(watch.HasEnded());
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(watch.HasEnded());
  EXPECT_THAT(
      ProcessWatch::Open(child),
      ::accel::testing::StatusIs(
          absl::StatusCode::kNotFound,
          absl::StrCat("cannot watch process ", child, ": No such process")));
}

TEST(ProcessWatchTest, TellsHowAReapedProcessEnded) {
  const pid_t child = fork();
  if (child == 0) {
    while (true) {
      pause();
    }
  }
  ASSERT_OK_AND_ASSIGN(const ProcessWatch watch, ProcessWatch::Open(child));
  EXPECT_EQ(watch.StatusAfterReaping(), std::nullopt);
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (!watch.StatusAfterReaping()) {
    GTEST_SKIP() << "no exit status of reaped processes (Linux 6.15)";
  }
  EXPECT_EQ(watch.StatusAfterReaping(), status);
}

}  // namespace
}  // namespace accel::runtime
