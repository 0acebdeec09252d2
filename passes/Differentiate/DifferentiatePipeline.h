// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Differentiate as one pipeline.
#ifndef ACCEL_PASSES_DIFFERENTIATE_DIFFERENTIATEPIPELINE_H
#define ACCEL_PASSES_DIFFERENTIATE_DIFFERENTIATEPIPELINE_H

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

struct DifferentiateOptions {
  /// auto, causal-lm, classification, mse, or output:NAME.
  std::string objective = "auto";
  /// targets, or samples.
  std::string lossWeight = "targets";
};

/// From @forward to @microbatch with its gradients.
void buildDifferentiatePipeline(mlir::OpPassManager &manager,
                                const DifferentiateOptions &options);

/// Registers the pipeline as `accel-differentiate`.
void registerDifferentiatePipeline();

} // namespace accel

#endif
