// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What accel-inspect's exit status means.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_EXIT_STATUS_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_EXIT_STATUS_H_

namespace accel::tools {

inline constexpr int kCommandLineError = 2;
inline constexpr int kUnsupported = 3;  // plan or trace of another release
inline constexpr int kFileError = 4;
inline constexpr int kVerificationError = 6;

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_EXIT_STATUS_H_
