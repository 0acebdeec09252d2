// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits end: by readiness, by the first failure, or at their deadline with the
// owner's name.
#include "runtime/base/deadline.h"

#include <atomic>
#include <thread>
#include <vector>

#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOk;
using ::accel::testing::StatusIs;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(DeadlineTest, SaturatesInsteadOfOverflowing) {
  const Deadline deadline = Deadline::After(std::chrono::nanoseconds::max());
  EXPECT_FALSE(deadline.Expired());
  EXPECT_GT(deadline.Remaining(), hours(24 * 365));
}

TEST(DeadlineTest, RemainingIsNeverNegative) {
  const Deadline deadline = Deadline::After(milliseconds(-5));
  EXPECT_TRUE(deadline.Expired());
  EXPECT_EQ(deadline.Remaining().count(), 0);
  EXPECT_EQ(deadline.budget(), milliseconds(-5));
}

TEST(WaitClockTest, WhatPassesWhileTheWaiterDoesNotRunIsNoWaiting) {
  const Deadline::Clock::time_point start{hours(1)};
  WaitClock clock(start);
  EXPECT_EQ(clock.Look(milliseconds(20), start + milliseconds(21)).count(), 0);
  // Late, as on a busy machine.
  EXPECT_EQ(clock.Look(milliseconds(20), start + milliseconds(141)).count(), 0);
  EXPECT_EQ(clock.Waited(), milliseconds(141));
  // Stopped for six seconds.
  EXPECT_EQ(clock.Look(milliseconds(20), start + milliseconds(6161)),
            milliseconds(6020 - 120));
  EXPECT_EQ(clock.Waited(), milliseconds(141 + 120));
}

TEST(DeadlineTest, IsPostponedByWhatIsNoWaiting) {
  const Deadline deadline = Deadline::After(milliseconds(-5));
  deadline.Postpone(hours(1));
  EXPECT_FALSE(deadline.Expired());
  EXPECT_GT(deadline.Remaining(), std::chrono::minutes(59));
  deadline.Postpone(std::chrono::nanoseconds::max());
  EXPECT_GT(deadline.Remaining(), hours(24 * 365));
}

TEST(WaitUntilTest, ReturnsAtOnceWhenReadyAndNeverAsksTheOwner) {
  Monitor monitor;
  EXPECT_THAT(WaitUntil(
                  Deadline::After(seconds(30)),
                  [] {
                    ADD_FAILURE() << "the wait succeeds";
                    return std::string();
                  },
                  monitor, [] { return true; }),
              IsOk());
}

TEST(WaitUntilTest, NamesTheOwnerAndTheBudgetWhenTheDeadlinePasses) {
  Monitor monitor;
  const auto before = Deadline::Clock::now();
  EXPECT_THAT(WaitUntil(Deadline::After(milliseconds(20)),
                        "event 12 of stream 'communication'", monitor,
                        [] { return false; }),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       "waited 20 ms for event 12 of stream 'communication'"));
  EXPECT_GE(Deadline::Clock::now() - before, milliseconds(20));
}

TEST(WaitUntilTest, AStateThatIsReadyAtTheDeadlineCountsAsReady) {
  Monitor monitor;
  EXPECT_THAT(WaitUntil(Deadline::After(milliseconds(-1)), "x", monitor,
                        [] { return true; }),
              IsOk());
}

TEST(WaitUntilTest, WakesOnUpdate) {
  Monitor monitor;
  bool done = false;
  std::thread other([&] { monitor.Update([&] { done = true; }); });
  EXPECT_THAT(WaitUntil(Deadline::After(seconds(30)), "the other thread",
                        monitor, [&] { return done; }),
              IsOk());
  other.join();
}

TEST(WaitUntilTest, TheFirstFailureReachesEveryWaiterNowAndLater) {
  Monitor monitor;
  std::vector<absl::Status> results(3);
  std::vector<std::thread> waiters;
  for (absl::Status& result : results) {
    waiters.emplace_back([&] {
      result = WaitUntil(Deadline::After(seconds(30)), "nothing", monitor,
                         [] { return false; });
    });
  }
  monitor.Fail(absl::DataLossError("first"));
  monitor.Fail(absl::InternalError("second"));
  for (std::thread& waiter : waiters) {
    waiter.join();
  }
  for (const absl::Status& result : results) {
    EXPECT_THAT(result, StatusIs(absl::StatusCode::kDataLoss, "first"));
  }
  EXPECT_THAT(WaitUntil(Deadline::After(seconds(30)), "later", monitor,
                        [] { return true; }),
              StatusIs(absl::StatusCode::kDataLoss, "first"));
  EXPECT_THAT(monitor.status(), StatusIs(absl::StatusCode::kDataLoss, "first"));
}

TEST(WakeWordTest, AWakeEndsTheWait) {
  WakeWord word;
  std::atomic<bool> done = false;
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(50));
    done = true;
    word.Wake();
  });
  EXPECT_THAT(WaitUntil(
                  Deadline::After(seconds(30)),
                  [] { return std::string("the other thread"); }, word,
                  [&] { return done.load(); }),
              IsOk());
  other.join();
}

TEST(WakeWordTest, AChangeThatNobodyAnnouncesIsSeenSoon) {
  WakeWord word;
  const auto before = Deadline::Clock::now();
  EXPECT_THAT(
      WaitUntil(
          Deadline::After(seconds(30)), [] { return std::string("the clock"); },
          word,
          [&] { return Deadline::Clock::now() - before > milliseconds(100); }),
      IsOk());
  EXPECT_LT(Deadline::Clock::now() - before, seconds(5));
}

TEST(WakeWordTest, NamesTheOwnerAndTheBudgetWhenTheDeadlinePasses) {
  WakeWord word;
  const auto before = Deadline::Clock::now();
  EXPECT_THAT(
      WaitUntil(
          Deadline::After(milliseconds(50)),
          [] { return std::string("rank 2"); }, word, [] { return false; }),
      StatusIs(absl::StatusCode::kDeadlineExceeded, "waited 50 ms for rank 2"));
  EXPECT_GE(Deadline::Clock::now() - before, milliseconds(50));
}

// Two threads hand a number to and fro; a lost wake would cost a look each.
TEST(WakeWordTest, NoWakeIsLost) {
  constexpr uint32_t kTurns = 20000;
  WakeWord word;
  std::atomic<uint32_t> turn = 0;
  const auto play = [&](uint32_t parity) {
    for (uint32_t i = parity; i < kTurns; i += 2) {
      ASSERT_THAT(WaitUntil(
                      Deadline::After(seconds(30)),
                      [] { return std::string("the other player"); }, word,
                      [&] { return turn.load() == i; }),
                  IsOk());
      turn = i + 1;
      word.Wake();
    }
  };
  const auto before = Deadline::Clock::now();
  std::thread other([&] { play(1); });
  play(0);
  other.join();
  EXPECT_LT(Deadline::Clock::now() - before, kTurns * kLookInterval / 4);
}

TEST(PollUntilTest, AsksUntilItIsSo) {
  int asked = 0;
  EXPECT_THAT(PollUntil(
                  Deadline::After(seconds(30)),
                  [] { return std::string("the device"); },
                  [&]() -> absl::StatusOr<bool> { return ++asked == 1000; }),
              IsOk());
  EXPECT_EQ(asked, 1000);
}

TEST(PollUntilTest, NamesTheOwnerAndTheBudgetWhenTheDeadlinePasses) {
  const auto before = Deadline::Clock::now();
  EXPECT_THAT(PollUntil(
                  Deadline::After(milliseconds(50)),
                  [] { return std::string("the device"); },
                  []() -> absl::StatusOr<bool> { return false; }),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       "waited 50 ms for the device"));
  EXPECT_GE(Deadline::Clock::now() - before, milliseconds(50));
}

TEST(PollUntilTest, AnErrorEndsTheWait) {
  EXPECT_THAT(
      PollUntil(
          Deadline::After(seconds(30)),
          [] { return std::string("the device"); },
          []() -> absl::StatusOr<bool> { return absl::InternalError("lost"); }),
      StatusIs(absl::StatusCode::kInternal, "lost"));
}

}  // namespace
}  // namespace accel::runtime
