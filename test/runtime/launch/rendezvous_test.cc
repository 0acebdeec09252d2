// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that meet, and everything that can keep them from it. The ranks are
// threads of this process.
#include "runtime/launch/rendezvous.h"

#include <unistd.h>

#include <functional>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/launch/hello.h"
#include "runtime/launch/progress_board.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using std::chrono::milliseconds;
using std::chrono::seconds;

Vfs* Files() {
  static Vfs* const vfs = MakePosixVfs().release();
  return vfs;
}

using Result = absl::StatusOr<RendezvousResult>;

class RendezvousTest : public ::testing::Test {
 protected:
  RendezvousOptions Options(uint32_t rank, uint32_t ranks) const {
    RendezvousOptions options;
    options.environment.rank = rank;
    options.environment.ranks = ranks;
    options.environment.port = 123;
    options.environment.run_id = run_id_;
    options.version = "1.0";
    return options;
  }

  // All of them at once; `change` sees the options first.
  static std::vector<Result> Meet(std::vector<RendezvousOptions> ranks) {
    std::vector<Result> results(ranks.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < ranks.size(); ++i) {
      threads.emplace_back(
          [&, i] { results[i] = MeetRanks(*Files(), ranks[i]); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    return results;
  }

  // Connects as soon as rank 0 listens.
  LocalSocket Connect() const {
    const std::string name = RendezvousName(Options(0, 2).environment);
    auto socket = LocalSocket::Connect(name);
    for (int i = 0; i < 1000 && !socket.ok(); ++i) {
      std::this_thread::sleep_for(milliseconds(5));
      socket = LocalSocket::Connect(name);
    }
    EXPECT_OK(socket);
    return *std::move(socket);
  }

  std::string Place() const {
    return absl::StrCat("MASTER_PORT 123, run id '", run_id_, "'");
  }

  // Apart from those of tests that run at the same time.
  const std::string run_id_ = absl::StrCat(
      "test ", ::testing::UnitTest::GetInstance()->current_test_info()->name(),
      " ", getpid());
};

TEST_F(RendezvousTest, AllRanksLeaveWithTheSameMemory) {
  std::vector<Result> results =
      Meet({Options(0, 3), Options(1, 3), Options(2, 3)});
  for (uint32_t rank = 0; rank < 3; ++rank) {
    ASSERT_OK(results[rank]);
    EXPECT_EQ(results[rank]->pids, std::vector<pid_t>(3, getpid()));
    ASSERT_OK_AND_ASSIGN(ProgressBoard board,
                         ProgressBoard::Open(results[rank]->board, 3));
    board.Begin(rank, 1, 10 + rank);
    board.Note(rank, 1, 5);
  }
  ASSERT_OK_AND_ASSIGN(const ProgressBoard board,
                       ProgressBoard::Open(results[0]->board, 3));
  for (uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(board.Of(rank).step, 10 + rank);
    EXPECT_EQ(board.Of(rank).instructions[0], std::nullopt);
    EXPECT_EQ(board.Of(rank).instructions[1], 5u);
  }
}

TEST_F(RendezvousTest, RanksThatNeverComeAreListed) {
  std::vector<RendezvousOptions> ranks = {Options(0, 4), Options(2, 4)};
  ranks[0].timeout = milliseconds(300);
  const std::vector<Result> results = Meet(ranks);
  const std::string text =
      absl::StrCat("waited 300 ms for ranks 1, 3 to come to the rendezvous (",
                   Place(), "); ranks 0, 2 have come; start all 4 ranks");
  EXPECT_THAT(results[0], StatusIs(absl::StatusCode::kDeadlineExceeded, text));
  EXPECT_THAT(results[1], StatusIs(absl::StatusCode::kFailedPrecondition,
                                   absl::StrCat("rank 0 (pid ", getpid(),
                                                ") says: ", text)));
}

TEST_F(RendezvousTest, WithoutRank0TheOthersGiveUp) {
  RendezvousOptions options = Options(1, 2);
  options.timeout = milliseconds(100);
  EXPECT_THAT(MeetRanks(*Files(), options),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       absl::StrCat("waited 100 ms for rank 0 at the "
                                    "rendezvous (",
                                    Place(),
                                    "); start it with the same MASTER_PORT and "
                                    "run id")));
}

TEST_F(RendezvousTest, ANameInUseIsSaidToBe) {
  ASSERT_OK_AND_ASSIGN(
      const LocalSocket other,
      LocalSocket::Listen(RendezvousName(Options(0, 2).environment)));
  EXPECT_THAT(MeetRanks(*Files(), Options(0, 2)),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       absl::StrCat("the rendezvous name is in use (", Place(),
                                    "): another run has the same port and run "
                                    "id; set another MASTER_PORT, or wait for "
                                    "its end")));
}

TEST_F(RendezvousTest, ASignalEndsTheWait) {
  std::vector<RendezvousOptions> ranks = {Options(0, 3), Options(1, 3)};
  for (RendezvousOptions& rank : ranks) {
    rank.stop_requested = [] { return true; };
  }
  EXPECT_THAT(MeetRanks(*Files(), ranks[0]),
              StatusIs(absl::StatusCode::kCancelled,
                       "stopped before all ranks had come"));
  EXPECT_THAT(MeetRanks(*Files(), ranks[1]),
              StatusIs(absl::StatusCode::kCancelled,
                       "stopped before all ranks had come"));
}

TEST_F(RendezvousTest, AnotherNumberOfRanksIsNamed) {
  const std::vector<Result> results = Meet({Options(0, 2), Options(1, 3)});
  EXPECT_THAT(
      results[0],
      StatusIs(absl::StatusCode::kFailedPrecondition,
               absl::StrCat("rank 1 (pid ", getpid(),
                            ") was started as one of 3 ranks, rank 0 (pid ",
                            getpid(), ") as one of 2: expected one WORLD_SIZE ",
                            "for ", Place())));
  EXPECT_THAT(results[1],
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       absl::StrCat("rank 0 (pid ", getpid(), ") says: ",
                                    results[0].status().message())));
}

TEST_F(RendezvousTest, AnotherVersionIsNamed) {
  std::vector<RendezvousOptions> ranks = {Options(0, 2), Options(1, 2)};
  ranks[1].version = "1.1";
  EXPECT_THAT(
      Meet(ranks)[0],
      StatusIs(absl::StatusCode::kFailedPrecondition,
               absl::StrCat("rank 1 (pid ", getpid(),
                            ") is accel-run 1.1, rank 0 (pid ", getpid(),
                            ") is accel-run 1.0: expected the same version on "
                            "all ranks")));
}

TEST_F(RendezvousTest, ARankThatComesTwiceIsNamed) {
  EXPECT_THAT(Meet({Options(0, 3), Options(1, 3), Options(1, 3)})[0],
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       absl::StrCat("rank 1 has come twice, as pid ", getpid(),
                                    " and as pid ", getpid(),
                                    ": does another run use ", Place(), "?")));
}

TEST_F(RendezvousTest, ARankThatEndsMeanwhileIsNamed) {
  Result result;
  std::thread host([&] { result = MeetRanks(*Files(), Options(0, 3)); });
  {
    LocalSocket socket = Connect();
    ASSERT_OK(socket.Send(EncodeFrame(Hello{2, 3, "1.0"}), {}));
  }
  host.join();
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kUnavailable,
                               absl::StrCat("rank 2: gave up, pid ", getpid(),
                                            ", before all ranks had come")));
}

// Whatever connects and is no rank is dropped, and the ranks still meet.
TEST_F(RendezvousTest, StrangersDoNoHarm) {
  Result host_result;
  std::thread host([&] { host_result = MeetRanks(*Files(), Options(0, 2)); });
  std::vector<LocalSocket> strangers;
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1"), std::string(kMaxFrameBytes + 1, 'x'),
        EncodeFrame(Hello{7, 2, "1.0"}), EncodeFrame(Welcome{{1, 2}}),
        EncodeFrame(Refusal{"go away"}), std::string()}) {
    strangers.push_back(Connect());
    if (!bytes.empty()) {
      EXPECT_OK(strangers.back().Send(bytes, {}));
    }
  }
  strangers.pop_back();
  const Result guest = MeetRanks(*Files(), Options(1, 2));
  host.join();
  EXPECT_OK(host_result);
  EXPECT_OK(guest);
}

// A rank that is answered with anything but a welcome fails and says so.
TEST_F(RendezvousTest, AWrongAnswerIsRefused) {
  const auto answer = [&](const std::string& bytes) {
    auto listener =
        LocalSocket::Listen(RendezvousName(Options(0, 2).environment));
    EXPECT_OK(listener);
    Result result;
    std::thread guest([&] { result = MeetRanks(*Files(), Options(1, 2)); });
    std::optional<LocalSocket> socket;
    while (!socket) {
      socket = listener->Accept();
    }
    EXPECT_OK(socket->Send(bytes, {}));
    guest.join();
    return result.status();
  };
  const std::string rank0 = absl::StrCat("rank 0 (pid ", getpid(), ")");
  EXPECT_THAT(answer("HTTP/1.1 200 OK"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "a frame of the rendezvous: no magic"));
  EXPECT_THAT(answer(EncodeFrame(Welcome{{1, 2}})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       rank0 + ": expected a welcome with two descriptors"));
  EXPECT_THAT(
      answer(EncodeFrame(Refusal{"no"})),
      StatusIs(absl::StatusCode::kFailedPrecondition, rank0 + " says: no"));
}

}  // namespace
}  // namespace accel::runtime
