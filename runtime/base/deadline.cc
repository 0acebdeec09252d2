// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WaitUntil over std::condition_variable: its wait on the steady clock is a
// monotonic futex wait, while absl::Mutex of this Abseil follows the wall
// clock. Over a WakeWord it is the futex itself, shared between processes.
#include "runtime/base/deadline.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <thread>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) &&
                  std::atomic<uint32_t>::is_always_lock_free,
              "the kernel reads the word as 32 bits");

// Sleeps until somebody wakes the word, unless it has changed from `seen`.
// Ends early on signals, too, which the caller's loop makes up for.
void FutexWait(std::atomic<uint32_t>& word, uint32_t seen,
               std::chrono::nanoseconds at_most) {
  struct timespec time;
  time.tv_sec = static_cast<time_t>(at_most.count() / 1000000000);
  time.tv_nsec = static_cast<long>(at_most.count() % 1000000000);
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &time, nullptr, 0);
}

// A year short of the clock's end: the library may convert it.
constexpr Deadline::Clock::time_point kLast =
    Deadline::Clock::time_point::max() - std::chrono::hours(24 * 365);

absl::Status Expired(const Deadline& deadline,
                     absl::FunctionRef<std::string()> owner) {
  return absl::DeadlineExceededError(absl::StrCat(
      "waited ", FormatDuration(deadline.budget()), " for ", owner()));
}

}  // namespace

std::chrono::nanoseconds WaitClock::Look(std::chrono::nanoseconds meant,
                                         Clock::time_point now) {
  const std::chrono::nanoseconds passed = now - looked_at_;
  const std::chrono::nanoseconds counts =
      passed - meant > kBusy ? meant + kBusy : passed;
  looked_at_ = now;
  waited_ += counts;
  return passed - counts;
}

Deadline Deadline::After(std::chrono::nanoseconds budget) {
  const Clock::time_point now = Clock::now();
  return budget > kLast - now ? Deadline(kLast, budget)
                              : Deadline(now + budget, budget);
}

std::chrono::nanoseconds Deadline::Remaining() const {
  return std::max<std::chrono::nanoseconds>(at_ - Clock::now(),
                                            std::chrono::nanoseconds(0));
}

std::chrono::nanoseconds Deadline::LongestSleep() const {
  constexpr int kLooks = 32;
  return std::max<std::chrono::nanoseconds>(budget_ / kLooks, kLookInterval);
}

std::chrono::nanoseconds Looks::Next(std::chrono::nanoseconds at_most) {
  deadline_.Postpone(clock_.Look(meant_));
  meant_ = std::min(deadline_.Remaining(), at_most);
  return meant_;
}

void Deadline::Postpone(std::chrono::nanoseconds time) const {
  at_ = time > kLast - at_ ? kLast : at_ + time;
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
  Looks looks(deadline);
  while (true) {
    // Asked before the last call of `ready`: who is ready at the deadline is
    // ready.
    const auto sleep = looks.Next(deadline.LongestSleep());
    if (!monitor.failure_.ok()) {
      return monitor.failure_;
    }
    if (ready()) {
      return absl::OkStatus();
    }
    if (sleep.count() == 0) {
      lock.unlock();
      return Expired(deadline, owner);
    }
    monitor.changed_.wait_for(lock, sleep);
  }
}

absl::Status WaitUntil(const Deadline& deadline, absl::string_view owner,
                       Monitor& monitor, absl::FunctionRef<bool()> ready) {
  return WaitUntil(
      deadline, [owner] { return std::string(owner); }, monitor, ready);
}

void WakeWord::Wake() {
  // Both sides in one total order: either this sees the waiter, or the waiter
  // sees the change before it sleeps.
  changes_.fetch_add(1);
  if (waiters_.load() != 0) {
    syscall(SYS_futex, &changes_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
}

absl::Status WaitUntil(const Deadline& deadline,
                       absl::FunctionRef<std::string()> owner, WakeWord& word,
                       absl::FunctionRef<bool()> ready) {
  // A peer that runs on another core is mostly microseconds away.
  constexpr int kSpins = 100;
  for (int i = 0; i < kSpins; ++i) {
    if (ready()) {
      return absl::OkStatus();
    }
    __builtin_ia32_pause();
  }
  word.waiters_.fetch_add(1);
  Looks looks(deadline);
  bool done = false;
  while (true) {
    const uint32_t seen = word.changes_.load();
    const auto sleep = looks.Next(kLookInterval);
    done = ready();
    if (done || sleep.count() == 0) {
      break;
    }
    FutexWait(word.changes_, seen, sleep);
  }
  word.waiters_.fetch_sub(1);
  return done ? absl::OkStatus() : Expired(deadline, owner);
}

absl::Status PollUntil(const Deadline& deadline,
                       absl::FunctionRef<std::string()> owner,
                       absl::FunctionRef<absl::StatusOr<bool>()> ready) {
  // Of a step the last kernels are often microseconds away; whoever waits
  // longer leaves the core to others.
  constexpr int kEager = 64;
  std::chrono::nanoseconds pause(1000);
  Looks looks(deadline);
  for (int asked = 0;; ++asked) {
    const auto sleep = looks.Next(pause);
    ASSIGN_OR_RETURN(const bool done, ready());
    if (done) {
      return absl::OkStatus();
    }
    if (sleep.count() == 0) {
      return Expired(deadline, owner);
    }
    if (asked < kEager) {
      __builtin_ia32_pause();
      continue;
    }
    std::this_thread::sleep_for(sleep);
    pause = std::min<std::chrono::nanoseconds>(2 * pause, kPollInterval);
  }
}

}  // namespace accel::runtime
