// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// metrics.jsonl: one JSON object per step and evaluation, handed to the kernel
// by a thread of its own as soon as the step is done, so a reader sees the
// finished steps of a running or dead run.
#ifndef ACCEL_RUNTIME_REPORT_METRICS_WRITER_H_
#define ACCEL_RUNTIME_REPORT_METRICS_WRITER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"
#include "runtime/report/evaluation_metrics.h"
#include "runtime/report/line_writer.h"
#include "runtime/report/step_metrics.h"

namespace accel::runtime {

// {"step":1,"loss":...,"lr":...,"grad_norm":...,"tokens":...,
//  "step_seconds":...,"data_wait_seconds":...,"tokens_per_second":...,
//  "peak_bytes":...,"epoch":...,"skipped_steps":0,"time":"2026-11-22T23:58:00.123Z","run":"<run>"}
// on one line, without newline; behind skipped_steps "loss_scale" of plans that
// have one. Doubles read back exactly, and step_seconds is
// an exact decimal of nanoseconds; JSON has no word for NaN and infinity, they
// become null.
// Requires: `run` has only letters and digits.
std::string MetricsJson(const StepMetrics& metrics, absl::string_view run);

// {"step":50,"eval_loss":...,"eval_tokens":...,"eval_seconds":...,
//  "time":"...","run":"<run>"}, likewise: the line behind that of its step.
std::string EvaluationJson(const EvaluationMetrics& metrics,
                           absl::string_view run);

class MetricsWriter {
 public:
  // A thread that will write to `path`; Open says when. Told of trouble as
  // LineWriterOptions have it.
  // Borrows: the vfs, until Close has returned.
  static absl::StatusOr<std::unique_ptr<MetricsWriter>> Start(
      Vfs& vfs, std::function<void(const absl::Status& status)> on_trouble);

  // Appends to `path`; a last line that a crash cut short is removed first.
  // `run` stands in each line, which tells apart runs of one directory.
  absl::Status Open(const std::string& path, std::string run);

  // Does not wait for the disk.
  void Write(const StepMetrics& metrics);
  void Write(const EvaluationMetrics& metrics);
  // The waits below end when for `patience` the disk does not get on.
  // What was written, to stable storage.
  absl::Status Sync(std::chrono::nanoseconds patience) {
    return lines_->Sync(patience);
  }
  // The same; an error says how many lines are lost. Nothing may be written
  // afterwards.
  absl::Status Close(std::chrono::nanoseconds patience) {
    return lines_->Close(patience);
  }

 private:
  // What the thread looks at, and who opens the file.
  struct Place;

  static absl::Status CheckPlace(Vfs& vfs, const Place& place);
  MetricsWriter(Vfs& vfs, std::shared_ptr<Place> place,
                std::unique_ptr<LineWriter> lines);

  Vfs& vfs_;
  const std::shared_ptr<Place> place_;
  std::unique_ptr<LineWriter> lines_;
  std::string run_;
};

// Cuts the file behind the last line of a step up to `step`: a run that goes on
// from there takes the later ones again. Reads what it cuts, and no more. A
// file that is not there stays so.
absl::Status KeepMetrics(Vfs& vfs, const std::string& path, int64_t step);

// Whether the last line is of an evaluation behind that many steps. A file that
// is not there has none.
absl::StatusOr<bool> EndsWithEvaluation(Vfs& vfs, const std::string& path,
                                        int64_t step);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_METRICS_WRITER_H_
