// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Differentiate as one pipeline.
#ifndef ACCEL_PASSES_DIFFERENTIATE_DIFFERENTIATEPIPELINE_H
#define ACCEL_PASSES_DIFFERENTIATE_DIFFERENTIATEPIPELINE_H

#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

struct DifferentiateOptions {
  /// auto, causal-lm, classification, mse, or output:NAME.
  std::string objective = "auto";
  /// targets, or samples.
  std::string lossWeight = "targets";
  /// train=REGEX or freeze=REGEX, in the order in which they were given.
  std::vector<std::string> trainingRules;
  /// torch, megatron or a number: the scale of the gradient. Empty: none.
  std::string lossScale = {};
  /// Logits are computed for rows with a label only.
  bool predictsSparsely = false;
  /// Batch norms take the statistics of all ranks' microbatches together.
  bool synchronizesBatchNorm = false;
};

/// From @forward to @microbatch with its gradients.
void buildDifferentiatePipeline(mlir::OpPassManager &manager,
                                const DifferentiateOptions &options);

/// What of it a program that only answers needs.
void buildUndifferentiatedPipeline(mlir::OpPassManager &manager);

/// Registers the pipeline as `accel-differentiate`.
void registerDifferentiatePipeline();

} // namespace accel

#endif
