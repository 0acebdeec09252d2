// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pidfd_open and poll: a pidfd is readable once its process has ended.
#include "runtime/base/process_watch.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"

namespace accel::runtime {
namespace {

// struct pidfd_info of linux/pidfd.h, newer than the headers that we build
// with.
struct PidfdInfo {
  uint64_t mask = 0;
  uint64_t cgroup = 0;
  uint32_t ids[11] = {};
  int32_t exit_code = 0;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr uint64_t kInfoExit = uint64_t{1} << 3;

}  // namespace

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

std::optional<int> ProcessWatch::StatusAfterReaping() const {
  PidfdInfo info;
  info.mask = kInfoExit;
  if (ioctl(fd_, _IOWR(0xFF, 11, PidfdInfo), &info) != 0 ||
      (info.mask & kInfoExit) == 0) {
    return std::nullopt;
  }
  return info.exit_code;
}

}  // namespace accel::runtime
