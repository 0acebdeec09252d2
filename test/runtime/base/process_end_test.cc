// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How children end, asked and put into words.
#include "runtime/base/process_end.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

std::optional<ProcessEnd> Await(pid_t child) {
  std::optional<ProcessEnd> end;
  for (int i = 0; i < 1000 && !end; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    end = EndOfChild(child);
  }
  return end;
}

TEST(ProcessEndTest, TellsTheSignalUntilTheChildIsReaped) {
  const pid_t child = fork();
  if (child == 0) {
    while (true) {
      pause();
    }
  }
  EXPECT_EQ(EndOfChild(child), std::nullopt);
  kill(child, SIGKILL);
  const std::optional<ProcessEnd> end = Await(child);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->Text(), "died of signal 9 (SIGKILL)");
  EXPECT_EQ(end->ShellStatus(), 137);
  EXPECT_TRUE(EndOfChild(child));
  ReapChild(child);
  EXPECT_EQ(EndOfChild(child), std::nullopt);
}

TEST(ProcessEndTest, TellsTheExitStatus) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(12);
  }
  const std::optional<ProcessEnd> end = Await(child);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->Text(), "exited with status 12");
  EXPECT_EQ(end->ShellStatus(), 12);
  ReapChild(child);
}

TEST(ProcessEndTest, ReadsTheStatusOfWait) {
  EXPECT_EQ(ProcessEnd::OfWaitStatus(9), (ProcessEnd{0, 9}));
  EXPECT_EQ(ProcessEnd::OfWaitStatus(4 << 8), (ProcessEnd{4, 0}));
  EXPECT_EQ(ProcessEnd::OfWaitStatus(W_EXITCODE(0, SIGABRT) | 0x80).Text(),
            "died of signal 6 (SIGABRT)");
}

}  // namespace
}  // namespace accel::runtime
