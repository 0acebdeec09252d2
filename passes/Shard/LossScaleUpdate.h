// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loss scale of the next step.
#ifndef ACCEL_PASSES_SHARD_LOSSSCALEUPDATE_H
#define ACCEL_PASSES_SHARD_LOSSSCALEUPDATE_H

#include "dialects/Accel/IR/ScalarBuilder.h"

namespace accel {

/// Writes `@loss_scale` and its counters: of a step whose loss and gradient are
/// finite (`isFinite`, a boolean scalar) as of one without an overflow.
///
///   overflow: steps = 0, overflows += 1;
///             from overflows = hysteresis on, scale = max(scale / 2, 1)
///   else:     steps += 1; where steps = window:
///             steps = 0, overflows = 0, scale = min(2 scale, 2^127)
///
/// With a hysteresis of 1 that is torch.amp.GradScaler, otherwise Megatron-LM's
/// DynamicGradScaler.
void buildLossScaleUpdate(ScalarBuilder &scalars, mlir::Value isFinite);

} // namespace accel

#endif
