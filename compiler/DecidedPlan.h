// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must be in a module before it is written as a plan.
#ifndef ACCEL_COMPILER_DECIDEDPLAN_H
#define ACCEL_COMPILER_DECIDEDPLAN_H

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// The writer decides nothing and has no defaults: what it copies must be
/// there, in words that a plan has. Names every instruction, buffer and fact
/// that lacks something.
mlir::LogicalResult verifyDecided(mlir::ModuleOp module);

} // namespace accel

#endif
