// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether shared buffers say what is gathered into them.
#ifndef ACCEL_PASSES_SCHEDULE_GATHERCHECK_H
#define ACCEL_PASSES_SCHEDULE_GATHERCHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Checks `gathers` of the shared buffers of `function` against the gathers
/// themselves, in program order. An error on the first buffer that is wrong.
/// Says nothing if no buffer has one.
llvm::LogicalResult checkGathers(mlir::func::FuncOp function);

} // namespace accel

#endif
