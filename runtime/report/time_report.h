// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time before the first step went, from the start of the process on.
#ifndef ACCEL_RUNTIME_REPORT_TIME_REPORT_H_
#define ACCEL_RUNTIME_REPORT_TIME_REPORT_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// Clock ticks since the machine's start at which a process began, of the text
// of /proc/PID/stat.
absl::StatusOr<uint64_t> ParseStartTicks(absl::string_view text);

// How long this process has existed, as the kernel counts: in hundredths of a
// second.
absl::StatusOr<std::chrono::nanoseconds> ReadProcessAge(Vfs& vfs);

// Threads: one at a time.
class TimeReport {
 public:
  using Clock = std::chrono::steady_clock;

  // The first part begins at `begin`.
  explicit TimeReport(Clock::time_point begin) : last_(begin) {}

  // Everything since the end of the part before was `part`. A part of a name
  // that was there before is added to it.
  void Finish(absl::string_view part, Clock::time_point now = Clock::now());

  // A heading, a line per part with seconds and share, and their total. Parts
  // below a tenth of a millisecond are shown as one.
  std::vector<std::string> Lines() const;

 private:
  struct Part {
    std::string name;
    int64_t ns = 0;
  };

  Clock::time_point last_;
  std::vector<Part> parts_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_TIME_REPORT_H_
