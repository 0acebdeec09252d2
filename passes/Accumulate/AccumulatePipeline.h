// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Accumulate as one pipeline.
#ifndef ACCEL_PASSES_ACCUMULATE_ACCUMULATEPIPELINE_H
#define ACCEL_PASSES_ACCUMULATE_ACCUMULATEPIPELINE_H

#include "dialects/Accel/IR/Optimizers/Optimizer.h"

#include <map>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

/// How parameters are updated. Numbers are the compiled defaults of the plan's
/// hyperparameters.
struct AccumulateOptions {
  std::string optimizer = kDefaultOptimizer.str();
  std::string schedule = "constant"; ///< constant, linear, cosine or wsd
  double lr = 1e-3;
  double minLr = 0.0;
  double weightDecay = 0.01;
  double clipNorm = 0.0; ///< 0: no clipping
  double warmupSteps = 0;
  double decaySteps = 0;
  double scheduleSteps = 0; ///< 0: set by the runtime before the first step
  /// A run goes on after a step whose loss or gradient is not finite, unless it
  /// is told otherwise.
  bool skipsNonFinite = false;
  /// The program has a function that measures the loss.
  bool evaluates = true;
  int64_t globalBatch = 32; ///< samples of a step, unless a run says otherwise
  /// Of the optimizer's own numbers those that are not what it proposes.
  std::map<std::string, double> numbers;
  /// REGEX:lr=0.1x,decay=0, in the order in which they were given.
  std::vector<std::string> groups;
  double layerDecay = 1.0;    ///< of the learning rate, from layer to layer
  std::string decay = "rank"; ///< or hf: what decays
  double ema = 0.0;           ///< 0: parameters are not averaged
};

/// From @microbatch to @step, @evaluate and @init.
void buildAccumulatePipeline(mlir::OpPassManager &manager,
                             const AccumulateOptions &options);

/// From @forward to @infer and @init.
void buildInferencePipeline(mlir::OpPassManager &manager);

/// Registers the pipeline as `accel-accumulate`.
void registerAccumulatePipeline();

} // namespace accel

#endif
