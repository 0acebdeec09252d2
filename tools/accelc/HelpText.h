// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `accelc --help` says before and after the options.
#ifndef ACCEL_TOOLS_ACCELC_HELPTEXT_H
#define ACCEL_TOOLS_ACCELC_HELPTEXT_H

#include <string>

namespace accel {

extern const char *const kDescription;

/// Examples, phases, exit codes.
std::string makeFooter();

} // namespace accel

#endif
