// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether instructions may write the infinities that they say.
#ifndef ACCEL_PASSES_SCHEDULE_INFINITYCHECK_H
#define ACCEL_PASSES_SCHEDULE_INFINITYCHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Checks the lists `infinities` of `function`: each names an access that
/// writes floats, and all are what the kernels make of constants and masks. An
/// error on the first instruction that says something else. Says nothing if no
/// instruction has a phase, because then nothing is decided yet.
llvm::LogicalResult checkInfinities(mlir::func::FuncOp function);

} // namespace accel

#endif
