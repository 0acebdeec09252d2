// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What both the model's outputs and its own losses are made into: one number
// per target or sample, and what it counts.
#ifndef ACCEL_PASSES_DIFFERENTIATE_LOSSBUILDER_H
#define ACCEL_PASSES_DIFFERENTIATE_LOSSBUILDER_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "passes/Differentiate/GraphLoss.h"
#include "passes/Differentiate/StepCounts.h"

namespace accel {

/// The losses of a microbatch and how many targets they are of, each times the
/// weight of its sample.
struct Losses {
  mlir::Value losses;
  mlir::Value count; ///< one number per target or sample, summed up later
  /// How many targets each number of `count` stands for.
  int64_t targetsPerCount = 1;
};

/// Weighs by samples: by 1, or by 0 where a sample only fills a microbatch up.
///
/// Borrows: the builder.
class LossBuilder {
public:
  /// `weights`: the weights of the `batch` samples, f32.
  LossBuilder(ArithmeticBuilder &builder, mlir::Value weights, int64_t batch)
      : b(builder), weights(weights), batch(batch) {}

  /// Each value times the weight of its sample.
  mlir::Value weigh(const SampleValues &values);
  /// Of values whose first dimensions count samples.
  mlir::Value weigh(mlir::Value values);
  /// The weight of its sample for every element of a tensor of shape `shape`
  /// whose samples lie in blocks of `blockSize`.
  mlir::Value spreadWeights(llvm::ArrayRef<int64_t> shape, int64_t blockSize);

  /// One number for each element of a single sum, or for each sample of
  /// several. Where these divide by different counts, those of the step come
  /// from `counts`.
  Losses build(const GraphLoss &loss, StepCounts &counts);

private:
  Losses buildSingle(const LossTerm &term);
  mlir::Value weighCounts(const LossTerm &term);
  /// One number for every sample: what its elements add up to.
  mlir::Value sumSamples(const SampleValues &values);
  mlir::Value scale(mlir::Value values, const LossFactor &factor);

  ArithmeticBuilder &b;
  mlir::Value weights;
  int64_t batch;
};

} // namespace accel

#endif
