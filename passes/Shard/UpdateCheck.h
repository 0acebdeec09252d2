// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That a step without a finite loss and gradient changes nothing that is
// trained.
#ifndef ACCEL_PASSES_SHARD_UPDATECHECK_H
#define ACCEL_PASSES_SHARD_UPDATECHECK_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace accel {

/// Every write of parameters, of what the optimizer keeps of them and of its
/// powers in a step chooses between a new value and what the state holds, by
/// the condition that metric `finite` reports. All writes that do not are
/// named.
llvm::LogicalResult checkUpdate(mlir::ModuleOp module);

/// What `write`, of a compute slot, rounds; null if it does not. What becomes
/// floats of 8 bits is multiplied by scales before.
mlir::Value findRounded(WriteOp write);

} // namespace accel

#endif
