// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// metrics.jsonl: one JSON object per step, appended and handed to the kernel at
// once, so a reader sees every finished step of a running or dead run.
#ifndef ACCEL_RUNTIME_REPORT_METRICS_WRITER_H_
#define ACCEL_RUNTIME_REPORT_METRICS_WRITER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"
#include "runtime/report/step_metrics.h"

namespace accel::runtime {

// {"step":1,"loss":...,"lr":...,"grad_norm":...,"tokens":...,
//  "step_seconds":...,"tokens_per_second":...,"peak_bytes":...,"epoch":...,
//  "skipped_steps":0,"time":"2026-11-22T23:58:00.123Z","run":"<run>"}
// on one line, without newline; behind skipped_steps "loss_scale" of plans that
// have one. Doubles read back exactly, and step_seconds is
// an exact decimal of nanoseconds; JSON has no word for NaN and infinity, they
// become null.
// Requires: `run` has only letters and digits.
std::string MetricsJson(const StepMetrics& metrics, absl::string_view run);

class MetricsWriter {
 public:
  // Appends to `path`; a last line that a crash cut short is removed first.
  // `run` stands in each line, which tells apart runs of one directory.
  static absl::StatusOr<std::unique_ptr<MetricsWriter>> Open(
      Vfs& vfs, const std::string& path, std::string run);

  absl::Status Write(const StepMetrics& metrics);
  // What was written, to stable storage.
  absl::Status Sync() { return file_->Sync(); }
  // To stable storage; nothing may be written afterwards.
  absl::Status Close();

 private:
  MetricsWriter(std::unique_ptr<File> file, std::string run);

  std::unique_ptr<File> file_;
  std::string run_;
};

// Removes the lines of steps behind `step`, which a run that goes on from there
// takes again, and a last line that was cut short. A file that is not there
// stays so.
absl::Status KeepMetrics(Vfs& vfs, const std::string& path, int64_t step);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_METRICS_WRITER_H_
