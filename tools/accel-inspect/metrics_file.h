// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// metrics.jsonl as accel-run writes it, read back: the file is not trusted.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_METRICS_FILE_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_METRICS_FILE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

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
  // What not every plan, run or release writes; NaN: it is not there.
  double peak_bytes = std::numeric_limits<double>::quiet_NaN();
  double skipped_steps = std::numeric_limits<double>::quiet_NaN();
  double loss_scale = std::numeric_limits<double>::quiet_NaN();
  double data_wait_seconds = std::numeric_limits<double>::quiet_NaN();
  bool has_eval = false;  // the loss of an evaluation, which may be NaN
  double eval_loss = std::numeric_limits<double>::quiet_NaN();

  // 0 where the clock has not moved.
  double TokensPerSecond() const {
    return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
  }
};

// A line of what was measured behind a step.
struct MetricsEvaluation {
  int64_t step = 0;
  double loss = 0;
  int64_t tokens = 0;
};

// The lines of one run; the file of a directory that was used again has
// several.
struct MetricsRun {
  std::string id;
  std::string path;  // of the file
  std::vector<MetricsStep> steps;
  std::vector<MetricsEvaluation> evaluations;
};

// The runs that took a step, in the order of their first lines. Errors begin
// "PATH:LINE: ". A last line without its newline is left out: its step is being
// written, or was when the run died.
absl::StatusOr<std::vector<MetricsRun>> ParseMetrics(const std::string& path,
                                                     absl::string_view text);

// The metrics of `path`, a run directory, or `path` itself.
std::string MetricsPath(runtime::Vfs& vfs, const std::string& path);

// The runs of a run directory, or of a file.
absl::StatusOr<std::vector<MetricsRun>> ReadMetrics(runtime::Vfs& vfs,
                                                    const std::string& path);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_METRICS_FILE_H_
