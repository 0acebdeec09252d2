// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Precision as one pipeline.
#ifndef ACCEL_PASSES_PRECISION_PRECISIONPIPELINE_H
#define ACCEL_PASSES_PRECISION_PRECISIONPIPELINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

struct PrecisionOptions {
  /// f32, bf16 or f16: the type of the operands of products.
  std::string precision = "f32";
  /// f32, or `precision`: the type of sums of two activations. Empty: that.
  std::string residual;
  /// The recipe of products in 8 bits, beside bf16: a name of the table; empty:
  /// there are none.
  std::string fp8;
  /// hybrid (gradients have f8E5M2) or e4m3.
  std::string fp8Format = "hybrid";
  /// Of recipe delayed: max or most_recent, and the numbers of Fp8History.
  std::string fp8Amax = "max";
  int64_t fp8History = 1024;
  int64_t fp8Margin = 0;
  /// exclude=REGEX or include=REGEX, in the order in which they were given.
  std::vector<std::string> rules;
};

/// From @microbatch in f32 to one whose products have the type asked for, if
/// `target`, a list of code variants, has it.
void buildPrecisionPipeline(mlir::OpPassManager &manager,
                            const PrecisionOptions &options,
                            const std::string &target);

/// Registers the pipeline as `accel-precision`.
void registerPrecisionPipeline();

} // namespace accel

#endif
