// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that a run directory tells of its run.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_REPORT_RUN_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_REPORT_RUN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"
#include "tools/accel-inspect/metrics_file.h"

namespace accel::tools {

// run.json. What this program does not know of it is shown all the same.
struct ReportedRecord {
  bool found = false;
  std::string run;        // the last start of the program
  int64_t steps = 0;      // that it shall take in all; 0: not known
  bool halts = false;     // at a step that is not finite
  double peak_bytes = 0;  // planned; 0: not known
  // What it says, in its order: names with blanks, and texts.
  std::vector<std::pair<std::string, std::string>> rows;
};

// The steps that one start of the program has taken.
struct RunPart {
  std::string id;
  size_t begin = 0;  // of RunReport::steps
  size_t end = 0;
};

struct RunReport {
  std::string path;                  // as it was given
  std::vector<MetricsStep> steps;    // at least one, in the order of the file
  std::vector<RunPart> parts;        // at least one, in the order of the file
  std::vector<int64_t> checkpoints;  // steps, ascending; whole or not
  ReportedRecord record;
};

// Errors begin "'PATH': ".
absl::StatusOr<ReportedRecord> ParseReportedRecord(const std::string& path,
                                                   absl::string_view text);

// Of a run directory, or of its metrics alone. A run that took no step is an
// error.
absl::StatusOr<RunReport> ReadRunReport(runtime::Vfs& vfs,
                                        const std::string& path);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_REPORT_RUN_H_
