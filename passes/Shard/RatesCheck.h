// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That segments are updated as their parameters ask for, and averaged where the
// program averages.
#ifndef ACCEL_PASSES_SHARD_RATESCHECK_H
#define ACCEL_PASSES_SHARD_RATESCHECK_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace accel {

/// All parameters of a segment have the same `lr_factor` and `weight_decay`,
/// and what has a weight decay of its own lies in a decayed segment. Every
/// segment that is trained has a slot for its average exactly if the module
/// declares `ema`, and initialization copies its master there, once and behind
/// what is written to that.
llvm::LogicalResult checkRates(mlir::ModuleOp module);

} // namespace accel

#endif
