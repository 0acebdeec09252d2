// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether another process still lives, asked through a pidfd: unlike a number,
// it never means a later process.
#ifndef ACCEL_RUNTIME_BASE_PROCESS_WATCH_H_
#define ACCEL_RUNTIME_BASE_PROCESS_WATCH_H_

#include <sys/types.h>

#include <optional>
#include <utility>

#include "absl/status/statusor.h"

namespace accel::runtime {

class ProcessWatch {
 public:
  // NotFound if there is no such process (any more).
  static absl::StatusOr<ProcessWatch> Open(pid_t pid);

  ~ProcessWatch();
  ProcessWatch(ProcessWatch&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  ProcessWatch& operator=(ProcessWatch&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  // Becomes readable at its death.
  int descriptor() const { return fd_; }
  // True from the moment of its death, also before its parent has asked for
  // its status. Never blocks.
  bool HasEnded() const;
  // How it ended, as wait(2) reports it, once its parent has asked; nothing
  // before, and on kernels before 6.15.
  std::optional<int> StatusAfterReaping() const;

 private:
  explicit ProcessWatch(int fd) : fd_(fd) {}

  int fd_ = -1;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_PROCESS_WATCH_H_
