// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The next scales of tensors whose scales are known before the step.
#ifndef ACCEL_PASSES_SHARD_DELAYEDSCALEUPDATE_H
#define ACCEL_PASSES_SHARD_DELAYEDSCALEUPDATE_H

#include "dialects/Accel/IR/Optimizers/UpdateBuilder.h"

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Builds the scales of the next step from what the microbatches of this one,
/// on all ranks, have found, as Transformer Engine does: the largest magnitude
/// of the history's steps, this one among them, becomes the largest number of
/// the type; where it is zero or not finite, the scale stays. Does nothing if
/// no state of `module` holds such scales.
void buildDelayedScaleUpdate(UpdateBuilder &b, mlir::ModuleOp module);

} // namespace accel

#endif
