// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether phases are right, and gradients complete where a step says so.
#ifndef ACCEL_PASSES_SCHEDULE_PHASECHECK_H
#define ACCEL_PASSES_SCHEDULE_PHASECHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Either no instruction of `function` has a phase, or all have, and its loop,
/// too; if the function is part of the program, the phases are those that
/// follow from what the instructions are, where they stand and what they write.
/// A step of which gradients are written then has one mark `gradients_complete`
/// outside its loop: in front of the update, behind everything that changes a
/// gradient or the factor that makes a mean of it, and as early as that.
/// Emits the first fault. Shares nothing with MarkPhases.
llvm::LogicalResult checkPhases(mlir::func::FuncOp function);

} // namespace accel

#endif
