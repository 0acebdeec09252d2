// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits in turns of one timeout each.
#include "runtime/base/watchdog.h"

#include <utility>

namespace accel::runtime {

Watchdog::Watchdog(std::chrono::nanoseconds timeout,
                   std::function<uint64_t()> other_progress)
    : timeout_(timeout), other_progress_(std::move(other_progress)) {}

absl::Status Watchdog::Wait(
    absl::FunctionRef<absl::Status(const Deadline&)> wait) const {
  while (true) {
    const uint64_t before = Progress();
    const absl::Status status = wait(Deadline::After(timeout_));
    if (!absl::IsDeadlineExceeded(status) || Progress() == before) {
      return status;
    }
  }
}

uint64_t Watchdog::Progress() const {
  return progress_.load(std::memory_order_relaxed) +
         (other_progress_ ? other_progress_() : 0);
}

}  // namespace accel::runtime
