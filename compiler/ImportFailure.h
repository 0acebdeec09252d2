// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a model was refused, for the exit code; the messages are out already.
#ifndef ACCEL_COMPILER_IMPORTFAILURE_H
#define ACCEL_COMPILER_IMPORTFAILURE_H

#include "compiler/Driver.h"

namespace accel {

/// Looks again at a model whose import has failed: is it the file, an operator,
/// or what the model says?
ExitCode classifyImportFailure(const CompilerOptions &options);

} // namespace accel

#endif
