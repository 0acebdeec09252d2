// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of states and metrics of a step by which passes find them.
#ifndef ACCEL_DIALECTS_ACCEL_IR_STEPNAMES_H
#define ACCEL_DIALECTS_ACCEL_IR_STEPNAMES_H

#include "llvm/ADT/StringRef.h"

namespace accel {

/// The states that microbatches add the losses of valid targets to, and their
/// number.
inline constexpr llvm::StringLiteral kLossSumState = "loss_sum";
inline constexpr llvm::StringLiteral kTargetCountState = "target_count";
/// Where a loss divides by several counts, the sums of the samples of a step
/// and of each count, and the counters with samples / that sum, which
/// microbatches read: `counted_0` and `samples_per_count_0`, `counted_1` ...
inline constexpr llvm::StringLiteral kCountedSamplesState = "counted_samples";
inline constexpr llvm::StringLiteral kCountedPrefix = "counted_";
inline constexpr llvm::StringLiteral kSamplesPerCountPrefix =
    "samples_per_count_";
/// What is less counts nothing. 2^k through it is finite in f32.
inline constexpr double kSmallestCount = 0x1p-40;
/// The metric with the factor that makes a mean of the accumulated gradient.
inline constexpr llvm::StringLiteral kGradientScaleMetric = "gradient_scale";
/// The metrics of an evaluation: both sums as they are. A step reports the
/// number of targets, too.
inline constexpr llvm::StringLiteral kLossSumMetric = "loss_sum";
inline constexpr llvm::StringLiteral kTokensMetric = "tokens";
/// Built-in inputs: how many microbatches of the step, of all ranks, come after
/// this one, how many iterations, and whether the function trains.
inline constexpr llvm::StringLiteral kMicrobatchesBehind =
    "microbatches_behind";
inline constexpr llvm::StringLiteral kIterationsBehind = "iterations_behind";
inline constexpr llvm::StringLiteral kTraining = "training";

/// Whether the run gives input `name` its value, not data.
inline bool isBuiltinInput(llvm::StringRef name) {
  return name == "sample_indices" || name == "sample_weights" ||
         name == "seed" || name == kMicrobatchesBehind ||
         name == kIterationsBehind || name == kTraining;
}

/// What batch norms ask of a module: how many samples their statistics need at
/// least, if more than one, and whether these are those of an iteration, of all
/// ranks, instead of a microbatch.
inline constexpr llvm::StringLiteral kLeastSamplesAttr = "accel.least_samples";
inline constexpr llvm::StringLiteral kSynchronizedStatisticsAttr =
    "accel.synchronized_statistics";

} // namespace accel

#endif
