// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step makes of statistics that go on from step to step, the running
// ones of batch norms.
#ifndef ACCEL_PASSES_SHARD_STATISTICSUPDATE_H
#define ACCEL_PASSES_SHARD_STATISTICSUPDATE_H

#include "dialects/Accel/IR/Optimizers/UpdateBuilder.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Adds to every statistic of `module` what microbatches have accumulated for
/// it, if the update takes effect. Neither mean nor clipping nor learning rate
/// concern it.
void buildStatisticsUpdate(UpdateBuilder &b, mlir::ModuleOp module);

} // namespace accel

#endif
