// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WaitUntil over std::condition_variable: its wait on the steady clock is a
// monotonic futex wait, while absl::Mutex of this Abseil follows the wall
// clock.
#include "runtime/base/deadline.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"

namespace accel::runtime {

Deadline Deadline::After(std::chrono::nanoseconds budget) {
  const Clock::time_point now = Clock::now();
  // A year short of the clock's end: the wait below adds nothing to it, but the
  // library may convert it.
  constexpr Clock::time_point kLast =
      Clock::time_point::max() - std::chrono::hours(24 * 365);
  if (budget > kLast - now) {
    return Deadline(kLast, budget);
  }
  return Deadline(now + budget, budget);
}

std::chrono::nanoseconds Deadline::Remaining() const {
  return std::max<std::chrono::nanoseconds>(at_ - Clock::now(),
                                            std::chrono::nanoseconds(0));
}

void Monitor::Fail(const absl::Status& error) {
  Update([&] {
    if (failure_.ok()) {
      failure_ = error;
    }
  });
}

absl::Status Monitor::status() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

absl::Status WaitUntil(const Deadline& deadline,
                       absl::FunctionRef<std::string()> owner, Monitor& monitor,
                       absl::FunctionRef<bool()> ready) {
  std::unique_lock<std::mutex> lock(monitor.mutex_);
  const bool done = monitor.changed_.wait_until(
      lock, deadline.at(), [&] { return !monitor.failure_.ok() || ready(); });
  if (!monitor.failure_.ok()) {
    return monitor.failure_;
  }
  if (done) {
    return absl::OkStatus();
  }
  lock.unlock();
  return absl::DeadlineExceededError(absl::StrCat(
      "waited ", FormatDuration(deadline.budget()), " for ", owner()));
}

absl::Status WaitUntil(const Deadline& deadline, absl::string_view owner,
                       Monitor& monitor, absl::FunctionRef<bool()> ready) {
  return WaitUntil(
      deadline, [owner] { return std::string(owner); }, monitor, ready);
}

}  // namespace accel::runtime
