// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which parameters are gathered together: the blocks of the model, found by its
// structure.
#ifndef ACCEL_PASSES_SHARD_BUCKETPLAN_H
#define ACCEL_PASSES_SHARD_BUCKETPLAN_H

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Shard/BucketLayout.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// The parameters of `module` in the order in which `body` first reads them,
/// unused ones last, each with its group (of rank `decayRank` or more it
/// decays) and its bucket: one per repeated block, one before, one after; one
/// for all if nothing is repeated.
BucketProblem planBuckets(mlir::ModuleOp module, mlir::Block &body,
                          int64_t decayRank);

} // namespace accel

#endif
