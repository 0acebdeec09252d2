// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends waits when nobody makes progress any more. A wait for others may take
// long; it is in vain only if nobody who could end it gets on.
#ifndef ACCEL_RUNTIME_BASE_WATCHDOG_H_
#define ACCEL_RUNTIME_BASE_WATCHDOG_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "runtime/base/deadline.h"

namespace accel::runtime {

// Threads: everything may be called from any thread.
class Watchdog {
 public:
  // `timeout`: the longest time without progress. `other_progress`, if there is
  // one, grows while somebody gets on who does not call NoteProgress.
  explicit Watchdog(std::chrono::nanoseconds timeout,
                    std::function<uint64_t()> other_progress = nullptr);

  void NoteProgress() { progress_.fetch_add(1, std::memory_order_relaxed); }

  // Calls `wait` with the timeout as deadline, and again as long as it ends
  // with DeadlineExceeded though there was progress.
  absl::Status Wait(
      absl::FunctionRef<absl::Status(const Deadline& deadline)> wait) const;

 private:
  uint64_t Progress() const;

  const std::chrono::nanoseconds timeout_;
  const std::function<uint64_t()> other_progress_;
  std::atomic<uint64_t> progress_{0};
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_WATCHDOG_H_
