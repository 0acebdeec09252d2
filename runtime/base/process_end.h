// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a process ended, in words, and starting from its parent's point of view
// whether it has.
#ifndef ACCEL_RUNTIME_BASE_PROCESS_END_H_
#define ACCEL_RUNTIME_BASE_PROCESS_END_H_

#include <sys/types.h>

#include <optional>
#include <string>

namespace accel::runtime {

struct ProcessEnd {
  int exit_code = 0;
  int signal = 0;  // what it died of; 0: it exited

  // From the status that wait(2) reports.
  static ProcessEnd OfWaitStatus(int status);
  friend bool operator==(const ProcessEnd&, const ProcessEnd&) = default;
  // As shells have it: the exit code, or 128 + the signal.
  int ShellStatus() const { return signal != 0 ? 128 + signal : exit_code; }
  // "died of signal 9 (SIGKILL)", "exited with status 4".
  std::string Text() const;
};

// "SIGTERM"; "signal 40" where there is no name.
std::string SignalName(int signal);

// Whether child `pid` of this process is stopped, by SIGSTOP for instance.
bool IsChildStopped(pid_t pid);

// How child `pid` of this process ended; nothing while it lives. It stays a
// zombie, which tells its peers how it ended, until ReapChild.
std::optional<ProcessEnd> EndOfChild(pid_t pid);
// Requires: EndOfChild has told its end.
void ReapChild(pid_t pid);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_PROCESS_END_H_
