// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts this program once per rank and sees all of them to their ends.
#ifndef ACCEL_RUNTIME_LAUNCH_LAUNCHER_H_
#define ACCEL_RUNTIME_LAUNCH_LAUNCHER_H_

#include <chrono>
#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "runtime/base/logger.h"

namespace accel::runtime {

struct LauncherOptions {
  uint32_t ranks = 1;
  char** argv = nullptr;  // of each rank, as main got it
  // The next signal to hand on to the ranks; 0: none. SIGTSTP stops them and
  // this process, until that is continued.
  std::function<int()> take_signal = [] { return 0; };
  // What a rank exits with that another rank's failure has ended.
  int secondary_status = 0;
  // How long the others may go on after the first failure: until they are asked
  // to stop, and until they are killed. One that is stopped is killed at once.
  std::chrono::nanoseconds ask_after = std::chrono::seconds(1);
  std::chrono::nanoseconds kill_after = std::chrono::seconds(10);
};

// Rank 0 has this process's output; what the others say is kept, and shown
// where rank 0 could not say what went wrong. Returns the status to exit with:
// 0, or that of the rank that failed first.
//
// Starts no thread, so no lock of this process can be held in a child; a child
// is a new program from its first instruction on, and dies with this process.
absl::StatusOr<int> LaunchRanks(const LauncherOptions& options,
                                const Logger& logger);

// To be called by a rank of LaunchRanks first of all, with its launcher's pid:
// from now on it dies with its launcher. Unavailable if that has gone already.
absl::Status DieWithLauncher(int launcher);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_LAUNCHER_H_
