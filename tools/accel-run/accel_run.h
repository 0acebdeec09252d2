// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-run as a function.
#ifndef ACCEL_TOOLS_ACCEL_RUN_ACCEL_RUN_H_
#define ACCEL_TOOLS_ACCEL_RUN_ACCEL_RUN_H_

#include "runtime/io/vfs.h"

namespace accel::tools {

// Returns the exit status. Takes over SIGINT, SIGTERM, SIGHUP and SIGUSR1: the
// first one ends the run, the second one at once. Ignores SIGPIPE and SIGXFSZ,
// so that what cannot be written is an error.
// Borrows: the vfs, through which every file is reached.
int AccelRunMain(int argc, char** argv, runtime::Vfs& vfs);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_ACCEL_RUN_H_
