// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the words of the command line to the compiler's options.
#ifndef ACCEL_TOOLS_ACCELC_MAKEOPTIONS_H
#define ACCEL_TOOLS_ACCELC_MAKEOPTIONS_H

#include "compiler/Options.h"
#include "tools/accelc/CommandLine.h"

namespace accel {

/// The options; nothing after errors were printed to standard error.
std::optional<CompilerOptions> makeOptions(const CommandLine &line);

} // namespace accel

#endif
