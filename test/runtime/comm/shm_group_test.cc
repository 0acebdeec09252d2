// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only processes have: deaths, descriptors, and nothing left behind.
#include "runtime/comm/shm_group.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/comm/thread_group.h"
#include "test/runtime/comm/rank_runner.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOk;
using ::accel::testing::MonotonicNanoseconds;
using ::accel::testing::RankProcesses;
using ::accel::testing::SleepFor;
using ::accel::testing::StatusIs;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

CollectiveCall NamedBarrier(absl::string_view name) {
  CollectiveCall call;
  call.name = name;
  return call;
}

// Everything of this host that a group could leave behind.
std::set<std::string> Traces() {
  std::set<std::string> traces;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    traces.insert(entry.path());
  }
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    // Those of whole runs, which other tests make at the same time, are not
    // ours.
    if (absl::StrContains(line, "accel") &&
        !absl::StrContains(line, "accel-run-")) {
      traces.insert(line);
    }
  }
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    const auto target = std::filesystem::read_symlink(entry, ignored);
    if (absl::StrContains(target.string(), "memfd")) {
      traces.insert(target);
    }
  }
  return traces;
}

// Rank 2 is killed while the others wait for it; they end with its name within
// 2 seconds of its death, long before the deadline.
TEST(ShmGroupTest, ADeathEndsTheOthersAndLeavesNothingBehind) {
  const std::set<std::string> before = Traces();
  RankProcesses ranks(
      4,
      [](Communicator& comm) -> absl::Status {
        RETURN_IF_ERROR(comm.AllocateShared(1 << 20, "bucket").status());
        RETURN_IF_ERROR(comm.Run(NamedBarrier("first")));
        if (comm.rank() == 2) {
          SleepFor(seconds(60));
        }
        const absl::Status status = comm.Run(NamedBarrier("second"));
        return absl::Status(
            status.code(),
            absl::StrCat(status.message(), " @", MonotonicNanoseconds()));
      },
      {});
  SleepFor(milliseconds(300));
  const int64_t killed = MonotonicNanoseconds();
  ranks.Signal(2, SIGKILL);
  const std::string death =
      absl::StrCat("rank 2: process ", ranks.pid(2), " has died while rank ");
  const auto results = ranks.Wait();
  EXPECT_THAT(results[2], StatusIs(absl::StatusCode::kUnknown, "signal 9"));
  for (const uint32_t rank : {0, 1, 3}) {
    const std::string message(results[rank].message());
    EXPECT_THAT(results[rank],
                StatusIs(absl::StatusCode::kUnavailable,
                         AllOf(StartsWith(death),
                               HasSubstr(" waited for it in second (barrier, "
                                         "sequence 0), operation 3; it last "
                                         "completed first (barrier, sequence "
                                         "0), operation 2"))));
    const int64_t ended = std::stoll(message.substr(message.find('@') + 1));
    EXPECT_LT(ended - killed, 2'000'000'000);
  }
  EXPECT_EQ(Traces(), before);
}

// At any moment of a stream of calls.
TEST(ShmGroupTest, ADeathAtAnyMomentEndsTheOthers) {
  for (int run = 0; run < 10; ++run) {
    RankProcesses ranks(3,
                        [](Communicator& comm) -> absl::Status {
                          std::vector<std::byte> bytes(40000);
                          CollectiveCall call;
                          call.kind = planpb::Collective::KIND_ALL_REDUCE;
                          call.reduction = planpb::Collective::REDUCTION_SUM;
                          call.elements = 10000;
                          call.input = bytes;
                          call.output = absl::MakeSpan(bytes);
                          call.name = "gradient";
                          while (true) {
                            RETURN_IF_ERROR(comm.Run(call));
                          }
                        },
                        {});
    SleepFor(milliseconds(20 + 7 * run));
    const auto killed = std::chrono::steady_clock::now();
    ranks.Signal(1, SIGKILL);
    const std::string death = absl::StrCat("rank 1: process ", ranks.pid(1));
    const auto results = ranks.Wait();
    EXPECT_LT(std::chrono::steady_clock::now() - killed, seconds(2));
    for (const uint32_t rank : {0, 2}) {
      EXPECT_THAT(results[rank],
                  StatusIs(absl::StatusCode::kUnavailable, StartsWith(death)));
    }
  }
}

TEST(ShmGroupTest, AStoppedRankIsNamedAtTheDeadline) {
  CommunicatorOptions options;
  options.timeout = milliseconds(500);
  RankProcesses ranks(
      2,
      [](Communicator& comm) -> absl::Status {
        while (true) {
          RETURN_IF_ERROR(comm.Run(NamedBarrier("beat")));
        }
      },
      options);
  SleepFor(milliseconds(100));
  ranks.Signal(1, SIGSTOP);
  SleepFor(milliseconds(1500));
  const std::string stopped = absl::StrCat("rank 1 (pid ", ranks.pid(1), ") ");
  ranks.Signal(1, SIGCONT);
  // Rank 1 learns why it was given up.
  for (const absl::Status& result : ranks.Wait()) {
    EXPECT_THAT(result,
                StatusIs(absl::StatusCode::kDeadlineExceeded,
                         AllOf(StartsWith("rank 0: waited 500 ms for rank 1 in "
                                          "beat (barrier, sequence 0)"),
                               HasSubstr(stopped))));
  }
}

// A job that is suspended as a whole for three timeouts and goes on.
TEST(ShmGroupTest, RanksThatAreAllStoppedBlameNobody) {
  CommunicatorOptions options;
  options.timeout = milliseconds(500);
  RankProcesses ranks(
      2,
      [](Communicator& comm) -> absl::Status {
        // Rank 1 is late, so that rank 0 always waits.
        for (int i = 0; i < 40; ++i) {
          if (comm.rank() == 1) {
            SleepFor(milliseconds(50));
          }
          RETURN_IF_ERROR(comm.Run(NamedBarrier("beat")));
        }
        return absl::OkStatus();
      },
      options);
  SleepFor(milliseconds(300));
  ranks.Signal(1, SIGSTOP);
  ranks.Signal(0, SIGSTOP);
  SleepFor(milliseconds(1500));
  ranks.Signal(0, SIGCONT);
  ranks.Signal(1, SIGCONT);
  for (const absl::Status& result : ranks.Wait()) {
    EXPECT_OK(result);
  }
}

TEST(ShmGroupTest, AnotherNumberOfRanksIsRefused) {
  ASSERT_OK_AND_ASSIGN(FileDescriptor memory, CreateShmGroup(2, {}));
  EXPECT_THAT(JoinShmGroup(std::move(memory), 1, 3, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "rank 1: the group has 2 ranks, this rank expects 3"));
}

TEST(ShmGroupTest, ARankJoinsOnce) {
  ASSERT_OK_AND_ASSIGN(FileDescriptor memory, CreateShmGroup(2, {}));
  ASSERT_OK_AND_ASSIGN(FileDescriptor first, memory.Duplicate());
  ASSERT_OK_AND_ASSIGN(FileDescriptor second, memory.Duplicate());
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Communicator> communicator,
                       JoinShmGroup(std::move(first), 1, 2, {}));
  EXPECT_THAT(JoinShmGroup(std::move(second), 1, 2, {}),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       absl::StrCat("rank 1 (pid ", getpid(),
                                    ") is in the group already")));
  // Who was refused has not left in the first one's name.
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Communicator> other,
                       JoinShmGroup(std::move(memory), 0, 2, {}));
  ASSERT_OK_AND_ASSIGN(const auto one, communicator->Start({}));
  EXPECT_THAT(other->Run({}), IsOk());
  EXPECT_THAT(communicator->Wait(one), IsOk());
}

TEST(ShmGroupTest, OtherMemoryIsRefused) {
  ASSERT_OK_AND_ASSIGN(FileDescriptor memory,
                       CreateSharedMemory("other", 8192));
  EXPECT_THAT(JoinShmGroup(std::move(memory), 0, 1, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "rank 0: the shared memory is no group's; pass the "
                       "descriptor that the launcher made"));
}

TEST(ShmGroupTest, AGroupHasAtLeastOneRank) {
  EXPECT_THAT(CreateShmGroup(0, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "a group has 1 to 1024 ranks, got 0"));
  EXPECT_THAT(ThreadGroup::Create(1025, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "a group has 1 to 1024 ranks, got 1025"));
}

TEST(ThreadGroupTest, ARankIsOneOfTheGroup) {
  ASSERT_OK_AND_ASSIGN(const ThreadGroup group, ThreadGroup::Create(2, {}));
  EXPECT_THAT(group.Join(2), StatusIs(absl::StatusCode::kInvalidArgument,
                                      "rank 2 is none of the 2 ranks"));
}

}  // namespace
}  // namespace accel::runtime
