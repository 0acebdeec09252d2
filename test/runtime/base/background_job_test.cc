// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A job says when it is done and with what, and is waited for only while it
// gets on.
#include "runtime/base/background_job.h"

#include <chrono>
#include <future>
#include <memory>

#include "gtest/gtest.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLong(20);

TEST(BackgroundJobTest, GivesWhatTheWorkReturns) {
  for (const absl::Status& result :
       {absl::OkStatus(), absl::UnavailableError("no disk")}) {
    ASSERT_OK_AND_ASSIGN(
        const auto job,
        BackgroundJob::Start("work",
                             [&](BackgroundJob::Control&) { return result; }));
    ASSERT_OK(job->WaitUntilDone(kLong, [] {}));
    EXPECT_TRUE(job->IsDone());
    EXPECT_EQ(job->status(), result);
  }
}

TEST(BackgroundJobTest, TheOwnerGoesOnMeanwhile) {
  std::promise<void> go_on;
  ASSERT_OK_AND_ASSIGN(
      const auto job,
      BackgroundJob::Start("work", [&](BackgroundJob::Control&) {
        go_on.get_future().wait();
        return absl::OkStatus();
      }));
  EXPECT_FALSE(job->IsDone());
  go_on.set_value();
  EXPECT_OK(job->WaitUntilDone(kLong, [] {}));
}

// Much longer than the patience, and never still.
TEST(BackgroundJobTest, WorkThatGetsOnIsWaitedFor) {
  ASSERT_OK_AND_ASSIGN(
      const auto job,
      BackgroundJob::Start("work", [](BackgroundJob::Control& control) {
        for (int i = 0; i < 60; ++i) {
          std::this_thread::sleep_for(milliseconds(20));
          control.NoteProgress();
        }
        return absl::OkStatus();
      }));
  int seen = 0;
  EXPECT_OK(job->WaitUntilDone(milliseconds(500), [&] { ++seen; }));
  EXPECT_GT(seen, 2);
}

TEST(BackgroundJobTest, WorkThatDoesNotIsNot) {
  auto go_on = std::make_shared<std::promise<void>>();
  ASSERT_OK_AND_ASSIGN(
      const auto job,
      BackgroundJob::Start("the work", [go_on](BackgroundJob::Control&) {
        go_on->get_future().wait();
        return absl::OkStatus();
      }));
  EXPECT_EQ(job->WaitUntilDone(milliseconds(100), [] {}),
            absl::DeadlineExceededError("waited 100 ms for the work"));
  EXPECT_FALSE(job->IsDone());
  go_on->set_value();
  EXPECT_OK(job->WaitUntilDone(kLong, [] {}));
}

TEST(BackgroundJobTest, WorkThatIsGivenUpIsTold) {
  auto told = std::make_shared<std::promise<void>>();
  {
    ASSERT_OK_AND_ASSIGN(
        const auto job,
        BackgroundJob::Start("work", [told](BackgroundJob::Control& control) {
          while (!control.IsGivenUp()) {
            std::this_thread::sleep_for(milliseconds(1));
          }
          told->set_value();
          return absl::OkStatus();
        }));
  }
  EXPECT_EQ(told->get_future().wait_for(kLong), std::future_status::ready);
}

// It owns what it touches, so it may go on.
TEST(BackgroundJobTest, WorkThatDoesNotComeBackIsLeft) {
  auto go_on = std::make_shared<std::promise<void>>();
  auto ended = std::make_shared<std::promise<void>>();
  {
    ASSERT_OK_AND_ASSIGN(
        const auto job,
        BackgroundJob::Start("work", [=](BackgroundJob::Control&) {
          go_on->get_future().wait();
          ended->set_value();
          return absl::OkStatus();
        }));
  }
  go_on->set_value();
  EXPECT_EQ(ended->get_future().wait_for(kLong), std::future_status::ready);
}

}  // namespace
}  // namespace accel::runtime
