// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pidfd_open and poll: a pidfd is readable once its process has ended.
#include "runtime/base/process_watch.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"

namespace accel::runtime {

absl::StatusOr<ProcessWatch> ProcessWatch::Open(pid_t pid) {
  const auto fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) {
    return ErrnoError(errno, absl::StrCat("cannot watch process ", pid));
  }
  return ProcessWatch(fd);
}

ProcessWatch::~ProcessWatch() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

bool ProcessWatch::HasEnded() const {
  struct pollfd entry = {fd_, POLLIN, 0};
  return poll(&entry, 1, 0) == 1 && (entry.revents & POLLIN) != 0;
}

}  // namespace accel::runtime
