// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// metrics.jsonl as accel-run writes it, read back: the file is not trusted.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_METRICS_FILE_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_METRICS_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::tools {

// One line. What was not finite is NaN.
struct MetricsStep {
  int64_t step = 0;
  double loss = 0;
  double lr = 0;
  double grad_norm = 0;
  int64_t tokens = 0;
  double seconds = 0;
  double epoch = 0;
  std::string time = {};  // ISO 8601 in UTC
};

// The lines of one run; the file of a directory that was used again has
// several.
struct MetricsRun {
  std::string id;
  std::string path;  // of the file
  std::vector<MetricsStep> steps;
};

// The runs in the order of their first lines. Errors begin "PATH:LINE: ". A
// last line without its newline is left out: its step is being written, or was
// when the run died.
absl::StatusOr<std::vector<MetricsRun>> ParseMetrics(const std::string& path,
                                                     absl::string_view text);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_METRICS_FILE_H_
