// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-inspect metrics as a function.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_METRICS_COMMAND_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_METRICS_COMMAND_H_

namespace accel::tools {

// argv[0] is "metrics". Returns the exit status.
int InspectMetricsMain(int argc, char** argv);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_METRICS_COMMAND_H_
