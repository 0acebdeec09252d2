// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Accumulate as one pipeline.
#ifndef ACCEL_PASSES_ACCUMULATE_ACCUMULATEPIPELINE_H
#define ACCEL_PASSES_ACCUMULATE_ACCUMULATEPIPELINE_H

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

/// How parameters are updated. Numbers are the compiled defaults of the plan's
/// hyperparameters.
struct AccumulateOptions {
  std::string optimizer = "adamw";   ///< adamw or sgd
  std::string schedule = "constant"; ///< constant, linear, cosine or wsd
  double lr = 1e-3;
  double minLr = 0.0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weightDecay = 0.01;
  double momentum = 0.9;
  double clipNorm = 0.0; ///< 0: no clipping
  double warmupSteps = 0;
  double decaySteps = 0;
  double scheduleSteps = 0; ///< 0: set by the runtime before the first step
};

/// From @microbatch to @step and @init.
void buildAccumulatePipeline(mlir::OpPassManager &manager,
                             const AccumulateOptions &options);

/// Registers the pipeline as `accel-accumulate`.
void registerAccumulatePipeline();

} // namespace accel

#endif
