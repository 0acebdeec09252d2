// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run as a page, and as events for TensorBoard.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_WRITE_REPORT_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_WRITE_REPORT_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/io/vfs.h"

namespace accel::tools {

struct ReportOptions {
  std::string run;          // a run directory, or its metrics.jsonl
  std::string html;         // the page; empty: none
  std::string tensorboard;  // the folder of an event file; empty: none
};

// Writes both, as far as they are asked for, and prints a line about each.
absl::Status WriteReport(runtime::Vfs& vfs, const ReportOptions& options);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_WRITE_REPORT_H_
