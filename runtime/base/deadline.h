// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one way to wait in the runtime: WaitUntil, which always has a deadline on
// the monotonic clock and a named owner, so that nothing hangs without saying
// what it waited for.
#ifndef ACCEL_RUNTIME_BASE_DEADLINE_H_
#define ACCEL_RUNTIME_BASE_DEADLINE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

// How long somebody has waited. Time in which the waiter itself did not run -
// its process was stopped, its machine suspended - is no waiting: nobody can
// say of it that others were late. So a job that is suspended as a whole and
// goes on blames nobody.
class WaitClock {
 public:
  using Clock = std::chrono::steady_clock;
  // So much later than it meant to, a waiter on a busy machine looks.
  static constexpr std::chrono::milliseconds kBusy{100};

  explicit WaitClock(Clock::time_point now = Clock::now()) : looked_at_(now) {}

  // To be called at each look; `meant`: the longest time for which the waiter
  // has meant to sleep since the one before. What has passed beyond that and
  // kBusy does not count, and is returned.
  std::chrono::nanoseconds Look(std::chrono::nanoseconds meant,
                                Clock::time_point now = Clock::now());
  // What counts of the time up to the last look.
  std::chrono::nanoseconds Waited() const { return waited_; }

 private:
  Clock::time_point looked_at_;
  std::chrono::nanoseconds waited_{0};
};

// A point on the local monotonic clock. There is no infinite one on purpose.
// A wait postpones it by the time in which the waiter did not run (WaitClock).
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // Saturates: a budget beyond the clock's range means its last moment.
  static Deadline After(std::chrono::nanoseconds budget);

  bool Expired() const { return Clock::now() >= at_; }
  // Zero once expired.
  std::chrono::nanoseconds Remaining() const;
  std::chrono::nanoseconds budget() const { return budget_; }
  // At most so long a waiter sleeps between two looks, which tell it whether it
  // ran: a small part of the budget.
  std::chrono::nanoseconds LongestSleep() const;
  // By what WaitClock::Look returns.
  void Postpone(std::chrono::nanoseconds time) const;

 private:
  Deadline(Clock::time_point at, std::chrono::nanoseconds budget)
      : at_(at), budget_(budget) {}

  mutable Clock::time_point at_;
  std::chrono::nanoseconds budget_;
};

// The looks of one wait, each of which postpones the deadline by the time in
// which the waiter did not run.
// Borrows: the deadline.
class Looks {
 public:
  explicit Looks(const Deadline& deadline) : deadline_(deadline) {}

  // To be called at each look. How long to sleep until the next one; zero: the
  // deadline has passed.
  std::chrono::nanoseconds Next(std::chrono::nanoseconds at_most);

 private:
  const Deadline& deadline_;
  WaitClock clock_;
  std::chrono::nanoseconds meant_{0};
};

// Shared state that threads wait on: a mutex, a condition and the first error.
// The state itself belongs to the user and is touched only inside Update() and
// inside the `ready` of WaitUntil().
//
// Threads: everything may be called from any thread.
class Monitor {
 public:
  Monitor() = default;
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // Runs `change` under the lock, then wakes every waiter.
  template <typename Change>
  void Update(Change&& change) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      std::forward<Change>(change)();
    }
    changed_.notify_all();
  }

  // Fails every waiter, present and future, with `error`. The first error wins;
  // later ones are dropped.
  // Requires: `error` is not OK.
  void Fail(const absl::Status& error);

  // OK, or the error that Fail() left.
  absl::Status status() const;

 private:
  friend absl::Status WaitUntil(const Deadline&,
                                absl::FunctionRef<std::string()>, Monitor&,
                                absl::FunctionRef<bool()>);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  absl::Status failure_;  // guarded by mutex_
};

// Blocks until `ready()` is true (evaluated under the monitor's lock), the
// monitor has failed, or the deadline has passed. Returns OK, the monitor's
// failure, or DeadlineExceeded: "waited 30 s for <owner>". A state that is
// ready when the deadline passes counts as ready; a failure comes before both.
//
// `owner` says what is waited for ("event 12 of stream 'communication'") and is
// called only when the wait fails, so a wait that succeeds allocates nothing.
absl::Status WaitUntil(const Deadline& deadline,
                       absl::FunctionRef<std::string()> owner, Monitor& monitor,
                       absl::FunctionRef<bool()> ready);
absl::Status WaitUntil(const Deadline& deadline, absl::string_view owner,
                       Monitor& monitor, absl::FunctionRef<bool()> ready);

// What wakes those who wait on state in memory that processes share, where a
// Monitor cannot lie. It lies in that memory, too; zero bytes are a valid one.
// The state consists of atomics, and knows itself whether it has failed.
//
// Threads: everything may be called from any thread of any process.
class WakeWord {
 public:
  // To be called after each change of the state.
  void Wake();

 private:
  friend absl::Status WaitUntil(const Deadline&,
                                absl::FunctionRef<std::string()>, WakeWord&,
                                absl::FunctionRef<bool()>);

  std::atomic<uint32_t> changes_{0};
  // Who died while waiting stays counted: a system call too many, no more.
  std::atomic<uint32_t> waiters_{0};
};

// Blocks until `ready()` is true or the deadline has passed. `ready` is called
// after each Wake() and at least every kLookInterval, so it may also ask for
// what nobody announces (the death of a process).
inline constexpr std::chrono::milliseconds kLookInterval{20};
absl::Status WaitUntil(const Deadline& deadline,
                       absl::FunctionRef<std::string()> owner, WakeWord& word,
                       absl::FunctionRef<bool()> ready);

// For what nobody announces, but asking shows: the work of a GPU. Blocks until
// `ready()` is true or the deadline has passed; asks often at first, and later
// at least every kPollInterval. An error of `ready` ends the wait with it.
inline constexpr std::chrono::microseconds kPollInterval{200};
absl::Status PollUntil(const Deadline& deadline,
                       absl::FunctionRef<std::string()> owner,
                       absl::FunctionRef<absl::StatusOr<bool>()> ready);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_DEADLINE_H_
