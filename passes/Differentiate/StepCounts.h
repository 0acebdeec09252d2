// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of targets of a whole step that microbatches need before they compute
// their losses.
#ifndef ACCEL_PASSES_DIFFERENTIATE_STEPCOUNTS_H
#define ACCEL_PASSES_DIFFERENTIATE_STEPCOUNTS_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Declares the sums and counters of `dialects/Accel/IR/StepNames.h`, adds up
/// the sums in the microbatch and reads the counters there. InsertCounting
/// makes the function that computes these from those.
///
/// Borrows: the builder, which inserts in @microbatch.
class StepCounts {
public:
  /// `weights`: of the samples of the microbatch, f32.
  StepCounts(ArithmeticBuilder &builder, mlir::func::FuncOp microbatch,
             mlir::Value weights)
      : b(builder), microbatch(microbatch), weights(weights) {}

  /// How many samples the step has for each target of a new count, which adds
  /// up `weighed`: an f32 scalar.
  mlir::Value addCount(mlir::Value weighed);

private:
  void declare(const llvm::Twine &name, StateKind kind);
  /// Adds the sum of all of `values` to a new state `name`.
  void accumulate(const llvm::Twine &name, mlir::Value values);

  ArithmeticBuilder &b;
  mlir::func::FuncOp microbatch;
  mlir::Value weights;
  int64_t added = 0;
};

/// The sum of all elements, in f64.
mlir::Value sumUp(ArithmeticBuilder &builder, mlir::Value values);

} // namespace accel

#endif
