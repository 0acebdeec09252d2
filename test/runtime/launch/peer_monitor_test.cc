// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a process is read from the kernel's text, and nothing else is.
#include "runtime/launch/peer_monitor.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "runtime/comm/shm_group.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;

// A line of /proc/PID/stat.
std::string Stat(absl::string_view name, absl::string_view state,
                 absl::string_view exit_code) {
  std::string text = absl::StrCat("17 (", name, ") ", state);
  for (int field = 4; field < 52; ++field) {
    absl::StrAppend(&text, " 0");
  }
  return absl::StrCat(text, " ", exit_code, "\n");
}

TEST(PeerMonitorTest, ReadsHowAZombieEnded) {
  EXPECT_EQ(ParseProcStat(Stat("accel-run", "Z", "9")), (ProcessEnd{0, 9}));
  EXPECT_EQ(ParseProcStat(Stat("a ) Z (", "Z", "1024")), (ProcessEnd{4, 0}));
}

TEST(PeerMonitorTest, AnythingElseIsNoEnd) {
  for (const std::string& text :
       {Stat("accel-run", "R", "9"), Stat("accel-run", "Z", "nine"),
        std::string(), std::string("17 (a) Z 9"), std::string("17 Z")}) {
    EXPECT_EQ(ParseProcStat(text), std::nullopt) << text;
  }
}

// A group of this process, rank 0, and a child that only lives, rank 1.
class PeerMonitorOfAChildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    child_ = fork();
    if (child_ == 0) {
      while (true) {
        pause();
      }
    }
    CommunicatorOptions options;
    ASSERT_OK_AND_ASSIGN(FileDescriptor memory, CreateShmGroup(2, options));
    ASSERT_OK_AND_ASSIGN(communicator_,
                         JoinShmGroup(std::move(memory), 0, 2, options));
  }
  void TearDown() override {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  PeerMonitorOptions Options() const {
    PeerMonitorOptions options;
    options.pids = {getpid(), child_};
    options.last_known = [](uint32_t rank) {
      return absl::StrCat("last of rank ", rank);
    };
    return options;
  }

  pid_t child_ = 0;
  const std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
  std::unique_ptr<Communicator> communicator_;
};

TEST_F(PeerMonitorOfAChildTest, ADeathIsTheGroupsFailure) {
  const auto monitor =
      PeerMonitor::Create(*vfs_, *communicator_, Options()).value();
  EXPECT_OK(communicator_->Health());
  kill(child_, SIGTERM);
  for (int i = 0; i < 400 && communicator_->Health().ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_THAT(communicator_->Health(),
              StatusIs(absl::StatusCode::kUnavailable,
                       absl::StrCat("rank 1: died of signal 15 (SIGTERM), pid ",
                                    child_, ", last of rank 1")));
}

TEST_F(PeerMonitorOfAChildTest, ADeathAfterItsEndIsNothing) {
  const auto monitor =
      PeerMonitor::Create(*vfs_, *communicator_, Options()).value();
  monitor->Stop();
  kill(child_, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_OK(communicator_->Health());
}

TEST_F(PeerMonitorOfAChildTest, WhoIsGoneBeforeIsReported) {
  const pid_t gone = child_;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
  const auto monitor =
      PeerMonitor::Create(*vfs_, *communicator_, Options()).value();
  EXPECT_THAT(
      communicator_->Health(),
      StatusIs(absl::StatusCode::kUnavailable,
               absl::StrCat("rank 1: died, pid ", gone, ", last of rank 1")));
}

}  // namespace
}  // namespace accel::runtime
