// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory this process has really used, from the kernel's own account
// and not from samples.
#ifndef ACCEL_RUNTIME_REPORT_PEAK_MEMORY_H_
#define ACCEL_RUNTIME_REPORT_PEAK_MEMORY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

struct ResidentMemory {
  uint64_t now_bytes = 0;   // VmRSS
  uint64_t peak_bytes = 0;  // VmHWM, the high-water mark since the start
};

absl::StatusOr<ResidentMemory> ReadResidentMemory(Vfs& vfs);

// The high-water mark begins anew, at what is resident now.
absl::Status ResetPeakMemory(Vfs& vfs);

// Parses the text of /proc/PID/status.
absl::StatusOr<ResidentMemory> ParseProcStatus(absl::string_view text);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_PEAK_MEMORY_H_
