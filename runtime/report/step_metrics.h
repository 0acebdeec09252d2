// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one step reports, the same for metrics.jsonl, the live line and the
// final table.
#ifndef ACCEL_RUNTIME_REPORT_STEP_METRICS_H_
#define ACCEL_RUNTIME_REPORT_STEP_METRICS_H_

#include <cstdint>
#include <optional>

namespace accel::runtime {

struct StepMetrics {
  int64_t step = 0;  // from 1
  double loss = 0;   // exact mean before the update
  double lr = 0;
  double grad_norm = 0;  // before clipping
  int64_t tokens = 0;    // valid targets
  int64_t step_ns = 0;   // of the monotonic clock
  double tokens_per_second = 0;
  uint64_t peak_bytes = 0;  // of the worst rank
  // Samples taken so far, in passes over the data; NaN: the data are synthetic.
  double epoch = 0;
  int64_t wall_time_ns = 0;   // of the end of the step, UTC
  int64_t skipped_steps = 0;  // so far, of this run, as they were not finite
  // What the gradient of this step was computed times; none: it was not scaled.
  std::optional<double> loss_scale = std::nullopt;
  // Of step_ns, how long the rank that waited longest had no data to compute
  // on; none: not known.
  std::optional<int64_t> data_wait_ns = std::nullopt;
  // Of the last evaluation before the step; none: there was none. For the live
  // line: in metrics.jsonl an evaluation has a line of its own.
  std::optional<double> eval_loss = std::nullopt;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_STEP_METRICS_H_
