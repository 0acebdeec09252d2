// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales that are known before a step, as states, and the magnitudes that the
// next ones are made of.
#ifndef ACCEL_PASSES_PRECISION_DELAYEDSCALES_H
#define ACCEL_PASSES_PRECISION_DELAYEDSCALES_H

#include "passes/Precision/ScaledValues.h"

namespace accel {

/// Gives each tensor an element of `@delayed_scale`. A microbatch reads it, and
/// raises the tensor's element of `@delayed_amax` to the largest magnitude that
/// it finds; the update makes the next scales of those (ExpandUpdate).
class DelayedScales final : public TensorScales {
public:
  /// Scales are made for the largest magnitude of `steps` steps, at least one,
  /// and are smaller by two to the power of `margin`.
  DelayedScales(int64_t steps, int64_t margin) : steps(steps), margin(margin) {}

  TensorScale get(ArithmeticBuilder &b, mlir::Value tensor,
                  mlir::Type element) override;
  void finish(mlir::func::FuncOp microbatch) override;

private:
  /// What is built before their number is known.
  struct Tensor {
    mlir::Value scale, inverse; ///< placeholders
    mlir::Value amax;
    float largest; ///< what the magnitude is scaled to
  };

  void declareStates(mlir::func::FuncOp microbatch);
  void readScales(mlir::func::FuncOp microbatch);
  void raiseAmaxes(mlir::func::FuncOp microbatch);

  int64_t steps, margin;
  llvm::SmallVector<Tensor> tensors;
};

} // namespace accel

#endif
