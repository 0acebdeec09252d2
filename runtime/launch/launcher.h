// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts this program once per rank and sees all of them to their ends.
#ifndef ACCEL_RUNTIME_LAUNCH_LAUNCHER_H_
#define ACCEL_RUNTIME_LAUNCH_LAUNCHER_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/process_end.h"
#include "runtime/launch/failure_note.h"

namespace accel::runtime {

struct LauncherOptions {
  uint32_t ranks = 1;
  char** argv = nullptr;  // of each rank, as main got it
  // The next signal to hand on to the ranks; 0: none. SIGTSTP stops them and
  // this process, until that is continued. After any other one the next kills
  // them.
  std::function<int()> take_signal = [] { return 0; };
  // What a rank exits with that another rank's failure has ended.
  int secondary_status = 0;
  // How long the others may go on after the first failure: until they are asked
  // to stop, and until they are killed. One that is stopped is killed at once.
  std::chrono::nanoseconds ask_after = std::chrono::seconds(1);
  std::chrono::nanoseconds kill_after = std::chrono::seconds(10);
  // After failures for which this is true they are killed in place of asked.
  std::function<bool(const ProcessEnd& end)> spares_nobody =
      [](const ProcessEnd&) { return false; };
  // Of all ranks: RankEnvironment's.
  uint32_t restarts = 0;
  std::string resume = {};
};

// How a launch has ended.
struct LaunchEnd {
  // To exit with: 0, or that of the rank that failed first, which the other
  // members are about.
  int status = 0;
  uint32_t rank = 0;
  pid_t pid = 0;
  ProcessEnd end;
  // The rank did what it was asked to, by whomever.
  bool is_stopped = false;
  // What was handed on to the ranks, and what has killed them; 0: nothing.
  int stop_signal = 0;
  int kill_signal = 0;
  // Why, from rank 0 if it knew, from the rank or from another one otherwise.
  std::optional<FailureNote> note;
  // Rank 0 has failed and said why, but for what its note has.
  bool is_said = false;
  // What the rank, or another one, has said where rank 0 could not.
  std::string output;
};

// Rank 0 has this process's output; what the others say is kept. An error is
// one of starting a rank.
//
// Starts no thread, so no lock of this process can be held in a child; a child
// is a new program from its first instruction on, and dies with this process.
// None is left when this returns.
absl::StatusOr<LaunchEnd> LaunchRanks(const LauncherOptions& options);

// To be called by a rank of LaunchRanks first of all, with its launcher's pid:
// from now on it dies with its launcher. Unavailable if that has gone already.
absl::Status DieWithLauncher(int launcher);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_LAUNCHER_H_
