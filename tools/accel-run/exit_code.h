// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What accel-run's exit status means. Stable: scripts and schedulers read it.
#ifndef ACCEL_TOOLS_ACCEL_RUN_EXIT_CODE_H_
#define ACCEL_TOOLS_ACCEL_RUN_EXIT_CODE_H_

#include "absl/status/status.h"

namespace accel::tools {

enum class ExitCode {
  kOk = 0,
  kCommandLine = 2,     // an option, or what it asks of this plan; ranks differ
  kUnsupported = 3,     // plan of another release or for another machine
  kInputOutput = 4,     // a file or folder; a damaged plan
  kMemory = 5,          // the plan does not fit, or a thread was refused
  kVerification = 6,    // the plan's schedule or memory is proved wrong
  kDivergence = 10,     // the loss or a gradient is not a number any more
  kCommunication = 11,  // a stream or rank did not answer in time, or another
                        // rank has failed
  kData = 12,           // the data do not fit the plan, or changed
  kInternal = 70,       // our mistake
};

// `status` with `code` as what the program shall exit with; OK stays OK.
absl::Status WithExitCode(absl::Status status, ExitCode code);

// The code that the status carries, or the one that its kind of error means;
// `otherwise` if that says nothing.
ExitCode ExitCodeOf(const absl::Status& status, ExitCode otherwise);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_EXIT_CODE_H_
