// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the gradient is multiplied by while it is computed, so that small
// numbers of it are none too small for fp16.
#ifndef ACCEL_DIALECTS_ACCEL_IR_LOSSSCALE_H
#define ACCEL_DIALECTS_ACCEL_IR_LOSSSCALE_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace accel {

/// The state that holds the scale of the next step, f64. Where a module has it,
/// the seed of the gradient is multiplied by it.
inline constexpr llvm::StringLiteral kLossScaleState = "loss_scale";
/// The metric with the scale that a step has used.
inline constexpr llvm::StringLiteral kLossScaleMetric = "loss_scale";
/// On a module with that state: the name of its policy.
inline constexpr llvm::StringLiteral kLossScaleAttr = "accel.loss_scale";

/// Hyperparameters of a scale that changes: after how many steps in a row
/// without an overflow it doubles, and from which overflow on each halves it.
inline constexpr llvm::StringLiteral kLossScaleWindow = "loss_scale_window";
inline constexpr llvm::StringLiteral kLossScaleHysteresis =
    "loss_scale_hysteresis";
/// Its counters: steps since it changed or overflowed, and overflows since it
/// doubled.
inline constexpr llvm::StringLiteral kLossScaleSteps = "loss_scale_steps";
inline constexpr llvm::StringLiteral kLossScaleOverflows =
    "loss_scale_overflows";

/// A scale never falls below it: what overflows without a scale is no fault of
/// the scale.
inline constexpr double kLeastLossScale = 1.0;
/// A scale never grows beyond it: the largest power of two in f32.
inline constexpr double kLargestLossScale = 0x1p127;

/// How the scale begins, and how it goes on.
struct LossScalePolicy {
  double initial = 0;
  double window = 0; ///< 0: the scale stays as it is
  double hysteresis = 0;

  bool changes() const { return window > 0; }
};

/// Reads `torch` (torch.amp.GradScaler: 65536, twice as much after 2000 steps,
/// half as much after each overflow), `megatron` (Megatron-LM's
/// DynamicGradScaler: 2^32, 1000 steps, the second overflow), or a number in
/// [2^-126, 2^127], rounded to f32, that stays. Empty otherwise.
std::optional<LossScalePolicy> parseLossScale(llvm::StringRef text);

} // namespace accel

#endif
