// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizers as element-wise arithmetic on the slots of one segment.
#ifndef ACCEL_PASSES_SHARD_SEGMENTUPDATE_H
#define ACCEL_PASSES_SHARD_SEGMENTUPDATE_H

#include "passes/Shard/ScalarBuilder.h"

#include <memory>

namespace accel {

/// The slots of one trainable segment.
struct SegmentSlots {
  std::string prefix; ///< bucket and segment: "block0.decayed"
  int64_t elements;
  bool isDecayed;

  std::string getSlot(llvm::StringRef slot) const {
    return prefix + "." + slot.str();
  }
};

/// An optimizer: scalars once per step, then the update of every segment.
class SegmentOptimizer {
public:
  virtual ~SegmentOptimizer() = default;

  /// Builds the scalars of a step: `rate` is its learning rate, gradients are
  /// to be multiplied by `gradientFactor`. Advances the optimizer's counters.
  virtual void buildScalars(ScalarBuilder &scalars, mlir::Value rate,
                            mlir::Value gradientFactor) = 0;

  /// Builds one run of element-wise operations that reads the slots of
  /// `segment` and writes them back.
  virtual void buildUpdate(ScalarBuilder &scalars,
                           const SegmentSlots &segment) = 0;
};

/// The optimizer named `kind` (adamw or sgd, as accel.update verifies).
std::unique_ptr<SegmentOptimizer> createSegmentOptimizer(llvm::StringRef kind);

/// The sum of squares of the gradient slot of `segment` as an f64 scalar: rows
/// of 128 in f32, then rows in f64.
mlir::Value buildSquareSum(ScalarBuilder &scalars, const SegmentSlots &segment);

} // namespace accel

#endif
