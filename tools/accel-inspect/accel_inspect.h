// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-inspect as a function.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_ACCEL_INSPECT_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_ACCEL_INSPECT_H_

namespace accel::tools {

// Returns the exit status: 0 done, 2 command line, 3 a plan of another release,
// 4 a file or a damaged plan, 6 a plan that --verify proves wrong.
int AccelInspectMain(int argc, char** argv);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_ACCEL_INSPECT_H_
