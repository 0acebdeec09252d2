// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank as its launcher has it: this program again, as a child.
#ifndef ACCEL_RUNTIME_LAUNCH_RANK_PROCESS_H_
#define ACCEL_RUNTIME_LAUNCH_RANK_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "runtime/base/process_end.h"
#include "runtime/base/process_watch.h"
#include "runtime/io/shared_memory.h"
#include "runtime/launch/rank_environment.h"

namespace accel::runtime {

struct RankProcess {
  pid_t pid = 0;  // 0: not started
  std::optional<ProcessWatch> watch;
  FileDescriptor output;  // of all but rank 0: what it has said
  FileDescriptor note;    // CreateNoteMemory's
  std::optional<ProcessEnd> end;
  // It may have ended because it was asked or made to.
  bool asked = false;

  bool IsAlive() const { return pid != 0 && !end; }
  bool IsStopped() const { return IsAlive() && IsChildStopped(pid); }
  // What has been kept of its output.
  std::string Output() const;
};

// Starts the rank that the environment says, whose failure_note is chosen here.
// With an error process.pid may have been set all the same: then it runs.
absl::Status StartRank(RankEnvironment environment, char** argv,
                       RankProcess& process);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_RANK_PROCESS_H_
