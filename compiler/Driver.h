// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler: from options to a plan, with everything that the user sees.
//
//   import -> run phases -> lower to code -> write the plan -> report
//
// The plan depends on the model and on the options that shape it, and on
// nothing else: no folder, host, time, locale, number of threads.
#ifndef ACCEL_COMPILER_DRIVER_H
#define ACCEL_COMPILER_DRIVER_H

#include "compiler/ExitCode.h"
#include "compiler/Options.h"

#include "llvm/Support/raw_ostream.h"

namespace accel {

/// Compiles. What was asked for (IR without `output`, an estimate, the summary)
/// goes to `output`, diagnostics to `messages`.
ExitCode compile(const CompilerOptions &options, llvm::raw_ostream &output,
                 llvm::raw_ostream &messages);

} // namespace accel

#endif
