// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `accelc --check` prints when it is done.
#ifndef ACCEL_COMPILER_CHECKREPORT_H
#define ACCEL_COMPILER_CHECKREPORT_H

#include "compiler/Options.h"
#include "compiler/Problems.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Lists the problems, or says of `module`, which has none, what it trains;
/// `module` may be null where there are problems.
/// A SARIF log lists them itself; then nothing is printed.
void printCheck(const Problems &problems, mlir::ModuleOp module,
                const CompilerOptions &options, llvm::raw_ostream &output);

} // namespace accel

#endif
