// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-inspect run: what a run directory holds.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_RUN_COMMAND_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_RUN_COMMAND_H_

namespace accel::tools {

// argv[0] is "run". Returns the exit status.
int InspectRunMain(int argc, char** argv);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_RUN_COMMAND_H_
