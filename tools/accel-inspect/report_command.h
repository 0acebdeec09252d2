// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-inspect report: a run as a page, and as events for TensorBoard.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_REPORT_COMMAND_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_REPORT_COMMAND_H_

namespace accel::tools {

// argv[0] is the command. Returns the exit status.
int InspectReportMain(int argc, char** argv);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_REPORT_COMMAND_H_
