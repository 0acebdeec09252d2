// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-compare as a function.
#ifndef ACCEL_TOOLS_ACCEL_COMPARE_ACCEL_COMPARE_H_
#define ACCEL_TOOLS_ACCEL_COMPARE_ACCEL_COMPARE_H_

namespace accel::tools {

// Returns the exit status.
int AccelCompareMain(int argc, char **argv);

} // namespace accel::tools

#endif // ACCEL_TOOLS_ACCEL_COMPARE_ACCEL_COMPARE_H_
