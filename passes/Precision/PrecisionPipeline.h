// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phase Precision as one pipeline.
#ifndef ACCEL_PASSES_PRECISION_PRECISIONPIPELINE_H
#define ACCEL_PASSES_PRECISION_PRECISIONPIPELINE_H

#include "dialects/Accel/IR/Fp8Recipe.h"

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
  /// Products in 8 bits, beside bf16.
  Fp8Options fp8;
  /// exclude=REGEX or include=REGEX, in the order in which they were given.
  std::vector<std::string> rules;
  /// Whether products of f32 may round their operands to TF32 where the target
  /// can: Fuse hands it on, as no operation of the program changes.
  bool tf32 = false;
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
