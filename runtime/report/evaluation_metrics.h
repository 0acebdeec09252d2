// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one evaluation reports, the same for metrics.jsonl, the live line and
// the final table.
#ifndef ACCEL_RUNTIME_REPORT_EVALUATION_METRICS_H_
#define ACCEL_RUNTIME_REPORT_EVALUATION_METRICS_H_

#include <cstdint>

namespace accel::runtime {

struct EvaluationMetrics {
  int64_t step = 0;          // that many steps are done
  double loss = 0;           // exact mean over all valid targets
  int64_t tokens = 0;        // valid targets
  int64_t ns = 0;            // of the monotonic clock
  int64_t wall_time_ns = 0;  // of the end, UTC
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_EVALUATION_METRICS_H_
