// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-data as a function.
#ifndef ACCEL_TOOLS_ACCEL_DATA_ACCEL_DATA_H_
#define ACCEL_TOOLS_ACCEL_DATA_ACCEL_DATA_H_

namespace accel::tools {

// Returns the exit status: 0 done, 2 command line, 4 files.
int AccelDataMain(int argc, char** argv);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_ACCEL_DATA_H_
