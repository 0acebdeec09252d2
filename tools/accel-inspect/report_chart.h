// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A picture of a report: lines over the steps of a run, as an element of HTML.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_REPORT_CHART_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_REPORT_CHART_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/accel-inspect/curve.h"
#include "tools/accel-inspect/report_events.h"

namespace accel::tools {

// Columns of every line: the mean of the steps of a column, and the range from
// the lowest to the highest of them. So a picture of 10^6 steps shows every
// extreme and has the size of one of 10^4.
inline constexpr size_t kReportColumns = 800;

struct ReportLine {
  std::string name;
  std::vector<CurveColumn> columns;  // kReportColumns
};

struct ReportChart {
  std::string title;
  std::string unit;  // behind the title; may be empty
  std::string note;  // what it says besides; may be empty
  std::vector<ReportLine> lines;
  int64_t first_step = 1;
  int64_t last_step = 1;
  double scale = 1;          // values are divided by it
  bool from_zero = false;    // the lowest place is 0
  bool logarithmic = false;  // where the values are positive and far apart
  double reference = 0;      // a dashed line; 0: none
  bool is_large = false;     // across the page, with marks of all events
};

// Empty where no line has a point. The same chart gives the same bytes.
// Requires: `events` by step.
std::string ChartHtml(const ReportChart& chart,
                      const std::vector<ReportEvent>& events);

// A step as a tick: 800, 20k, 15M.
std::string StepTickText(double step, double distance);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_REPORT_CHART_H_
