// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table at the end of a run: what was trained, how fast, and whether the
// memory was what the plan said.
#ifndef ACCEL_RUNTIME_REPORT_RUN_SUMMARY_H_
#define ACCEL_RUNTIME_REPORT_RUN_SUMMARY_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/report/step_metrics.h"

namespace accel::runtime {

class RunSummary {
 public:
  void AddStep(const StepMetrics& metrics);

  // Bytes the plan said it would take, and what it took. Zero: not known.
  void SetPlannedPeak(uint64_t bytes) { planned_peak_ = bytes; }
  void SetMeasuredPeak(uint64_t bytes) { measured_peak_ = bytes; }
  // A further row, e.g. ("data", "train.bin: 1,234 samples").
  void AddRow(std::string label, std::string value);

  int64_t steps() const { return steps_; }
  int64_t step_ns() const { return ns_; }  // of all steps

  // Aligned lines, each with a newline at its end.
  std::string Table() const;

 private:
  std::string LossText() const;
  std::string MeasuredText() const;

  int64_t steps_ = 0;
  int64_t tokens_ = 0;
  int64_t ns_ = 0;  // of all steps
  StepMetrics first_;
  StepMetrics last_;
  double best_loss_ = 0;
  int64_t best_step_ = 0;
  uint64_t planned_peak_ = 0;
  uint64_t measured_peak_ = 0;
  std::vector<std::pair<std::string, std::string>> rows_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_RUN_SUMMARY_H_
