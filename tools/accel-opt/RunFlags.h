// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of `accel-opt --run`.
#ifndef ACCEL_TOOLS_ACCEL_OPT_RUNFLAGS_H
#define ACCEL_TOOLS_ACCEL_OPT_RUNFLAGS_H

#include "tools/accel-opt/RunFunction.h"

namespace accel {

/// Declares the flags; call before the command line is parsed.
void registerRunFlags();

/// What the command line says; no function if --run is not given.
RunOptions getRunFlags();

/// What `--help` says before the list of flags.
extern const char *const kOptOverview;

} // namespace accel

#endif
