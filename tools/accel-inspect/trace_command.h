// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-inspect trace: where the time of a run went.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_TRACE_COMMAND_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_TRACE_COMMAND_H_

namespace accel::tools {

// The arguments begin with the word `trace`. Returns the exit status: 0 done,
// 2 command line, 3 a trace of another release, 4 a file.
int InspectTraceMain(int argc, char** argv);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_TRACE_COMMAND_H_
