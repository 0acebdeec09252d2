// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits that last as long as somebody gets on.
#include "runtime/base/watchdog.h"

#include <chrono>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::Deadline;
using runtime::Watchdog;

constexpr std::chrono::milliseconds kTimeout(5);

TEST(WatchdogTest, AWaitThatEndsIsCalledOnce) {
  const Watchdog watchdog(kTimeout);
  int calls = 0;
  EXPECT_OK(watchdog.Wait([&](const Deadline& deadline) {
    ++calls;
    EXPECT_EQ(deadline.budget(), kTimeout);
    return absl::OkStatus();
  }));
  EXPECT_THAT(watchdog.Wait([&](const Deadline&) {
    ++calls;
    return absl::DataLossError("broken");
  }),
              StatusIs(absl::StatusCode::kDataLoss, "broken"));
  EXPECT_EQ(calls, 2);
}

TEST(WatchdogTest, WithoutProgressTheFirstDeadlineCounts) {
  const Watchdog watchdog(kTimeout);
  int calls = 0;
  EXPECT_THAT(watchdog.Wait([&](const Deadline&) {
    ++calls;
    return absl::DeadlineExceededError("waited");
  }),
              StatusIs(absl::StatusCode::kDeadlineExceeded, "waited"));
  EXPECT_EQ(calls, 1);
}

TEST(WatchdogTest, ProgressHereOrElsewhereExtendsTheWait) {
  uint64_t elsewhere = 7;
  Watchdog watchdog(kTimeout, [&] { return elsewhere; });
  int calls = 0;
  EXPECT_FALSE(watchdog
                   .Wait([&](const Deadline&) {
                     ++calls;
                     if (calls == 1) {
                       watchdog.NoteProgress();
                     } else if (calls == 2) {
                       ++elsewhere;
                     }
                     return absl::DeadlineExceededError("waited");
                   })
                   .ok());
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace accel::testing
