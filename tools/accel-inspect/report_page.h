// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is the same in all reports: style and script.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_REPORT_PAGE_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_REPORT_PAGE_H_

namespace accel::tools {

extern const char kReportStyle[];
extern const char kReportScript[];

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_REPORT_PAGE_H_
