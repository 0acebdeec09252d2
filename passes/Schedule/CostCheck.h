// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether instructions cost what they say, and collectives are numbered.
#ifndef ACCEL_PASSES_SCHEDULE_COSTCHECK_H
#define ACCEL_PASSES_SCHEDULE_COSTCHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Either no instruction of `function` has a cost, or all have, and it follows
/// from the types of their operands and from the kernels' operations; the
/// collectives are then numbered in program order. Emits the first fault.
/// Shares nothing with AnnotateCosts.
llvm::LogicalResult checkCosts(mlir::func::FuncOp function);

} // namespace accel

#endif
