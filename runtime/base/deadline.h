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

// A point on the local monotonic clock. There is no infinite one on purpose.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // Saturates: a budget beyond the clock's range means its last moment.
  static Deadline After(std::chrono::nanoseconds budget);

  bool Expired() const { return Clock::now() >= at_; }
  // Zero once expired.
  std::chrono::nanoseconds Remaining() const;
  std::chrono::nanoseconds budget() const { return budget_; }
  Clock::time_point at() const { return at_; }

 private:
  Deadline(Clock::time_point at, std::chrono::nanoseconds budget)
      : at_(at), budget_(budget) {}

  Clock::time_point at_;
  std::chrono::nanoseconds budget_;
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
