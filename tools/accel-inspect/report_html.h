// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run as a page of HTML.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_REPORT_HTML_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_REPORT_HTML_H_

#include <string>
#include <vector>

#include "tools/accel-inspect/report_events.h"
#include "tools/accel-inspect/report_run.h"

namespace accel::tools {

// One file that needs no other and no network, and forbids the browser to load
// any. It has a light and a dark form, which the reader's settings choose, fits
// a phone and paper, and is whole without its script, which shows the values
// under the pointer. Below 2 MB, whatever the number of steps and events. The
// same run gives the same bytes.
std::string ReportHtml(const RunReport& run,
                       const std::vector<ReportEvent>& events);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_REPORT_HTML_H_
