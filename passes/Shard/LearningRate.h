// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The learning rate of a step.
#ifndef ACCEL_PASSES_SHARD_LEARNINGRATE_H
#define ACCEL_PASSES_SHARD_LEARNINGRATE_H

#include "dialects/Accel/IR/ScalarBuilder.h"

namespace accel {

/// The learning rate of step `step` (from 0) by the hyperparameters that
/// InsertUpdate declares; the formulas stand in the description of
/// ExpandUpdate. Without `hasSchedule` it is constant after the warm-up.
mlir::Value buildLearningRate(ScalarBuilder &scalars, bool hasSchedule,
                              mlir::Value step);

} // namespace accel

#endif
