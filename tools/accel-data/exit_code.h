// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What accel-data's exit status means; the numbers are accel-run's.
#ifndef ACCEL_TOOLS_ACCEL_DATA_EXIT_CODE_H_
#define ACCEL_TOOLS_ACCEL_DATA_EXIT_CODE_H_

#include "absl/status/status.h"

namespace accel::tools {

enum class DataExitCode : int {
  kOk = 0,
  kCommandLine = 2,
  kFile = 4,      // cannot be opened, read or written
  kContent = 12,  // what is in it is not what it should be
};

// Content is what a status of kInvalidArgument or kOutOfRange complains about.
inline DataExitCode DataExitCodeOf(const absl::Status& status) {
  if (status.ok()) {
    return DataExitCode::kOk;
  }
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status)
             ? DataExitCode::kContent
             : DataExitCode::kFile;
}

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_EXIT_CODE_H_
