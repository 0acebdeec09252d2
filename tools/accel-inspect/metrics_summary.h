// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run's metrics come to, as numbers, a table and JSON.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_METRICS_SUMMARY_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_METRICS_SUMMARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/accel-inspect/metrics_file.h"

namespace accel::tools {

// Of the finite values of one metric.
struct MetricRange {
  double first = 0;
  double last = 0;
  double lowest = 0;
  double highest = 0;
  double median = 0;
  int64_t lowest_step = 0;
  int64_t first_step = 0;  // of the finite ones; 0: there is none
  int64_t last_step = 0;
};

MetricRange RangeOf(const std::vector<MetricsStep>& steps,
                    double MetricsStep::* metric);

// What the run is called: its directory, or its file if that has another name
// than metrics.jsonl, and its id if the file has several.
std::string LabelOf(const MetricsRun& run, const std::vector<MetricsRun>& all);

// "2.3026 at step 1, 1.2045 at step 9, lowest 1.1 at step 7".
std::string LossText(const MetricRange& loss);

// Lines with a label each, for people.
std::string SummaryText(const MetricsRun& run, const std::string& label);

// One object for all runs, version 1.
std::string SummaryJson(const std::vector<MetricsRun>& runs);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_METRICS_SUMMARY_H_
