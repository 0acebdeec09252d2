// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// waitid() that never blocks.
#include "runtime/base/process_end.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "absl/strings/str_cat.h"

namespace accel::runtime {

ProcessEnd ProcessEnd::OfWaitStatus(int status) {
  ProcessEnd end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

std::string ProcessEnd::Text() const {
  if (signal == 0) {
    return absl::StrCat("exited with status ", exit_code);
  }
  const char* name = sigabbrev_np(signal);
  return absl::StrCat("died of signal ", signal,
                      name == nullptr ? "" : absl::StrCat(" (SIG", name, ")"));
}

std::string SignalName(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? absl::StrCat("signal ", signal)
                         : absl::StrCat("SIG", name);
}

bool IsChildStopped(pid_t pid) {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(pid), &info,
                WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

std::optional<ProcessEnd> EndOfChild(pid_t pid) {
  siginfo_t info = {};
  const int result =
      waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  if (result != 0 || info.si_pid == 0) {
    return std::nullopt;
  }
  ProcessEnd end;
  if (info.si_code == CLD_EXITED) {
    end.exit_code = info.si_status;
  } else {
    end.signal = info.si_status;
  }
  return end;
}

void ReapChild(pid_t pid) {
  siginfo_t info = {};
  waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG);
}

}  // namespace accel::runtime
