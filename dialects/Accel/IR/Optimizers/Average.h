// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponential moving averages of parameters, which a step keeps beside what its
// optimizer does.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_AVERAGE_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_AVERAGE_H

#include "dialects/Accel/IR/Optimizers/Optimizer.h"

namespace accel {

/// The hyperparameter X of e += (1 - X) (p - e), where p is what a step makes
/// of a parameter. A module that does not declare it keeps no averages.
inline constexpr llvm::StringLiteral kEmaState = "ema";

/// What every trainable segment has for them; at first a copy of its
/// parameters.
inline constexpr OptimizerSlot kAverageSlot = {"average"};

} // namespace accel

#endif
