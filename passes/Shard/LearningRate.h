// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The learning rate of a step.
#ifndef ACCEL_PASSES_SHARD_LEARNINGRATE_H
#define ACCEL_PASSES_SHARD_LEARNINGRATE_H

#include "passes/Shard/ScalarBuilder.h"

namespace accel {

/// The learning rate of step `step` (from 0) by `schedule` (constant, linear,
/// cosine, wsd) and the hyperparameters that InsertUpdate declares for it; the
/// formulas stand in the description of ExpandUpdate.
mlir::Value buildLearningRate(ScalarBuilder &scalars, llvm::StringRef schedule,
                              mlir::Value step);

} // namespace accel

#endif
