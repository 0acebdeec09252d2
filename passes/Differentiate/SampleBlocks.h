// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values keep the samples of a microbatch apart: the question behind
// giving the elements of a loss the weight of their sample.
#ifndef ACCEL_PASSES_DIFFERENTIATE_SAMPLEBLOCKS_H
#define ACCEL_PASSES_DIFFERENTIATE_SAMPLEBLOCKS_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

namespace accel {

class SampleBlocks {
public:
  /// Classifies what `block`, the body of @forward with `batch` samples,
  /// computes.
  SampleBlocks(mlir::Block &block, int64_t batch);

  /// Whether the first dimension of `value` is `batch` equal blocks of which
  /// block i depends on sample i of the inputs and on no other sample. What is
  /// not known to be so is not.
  bool areSeparate(mlir::Value value) const;

  /// The first operation on the way to `value` that is not known to keep its
  /// samples separate; null if `value` has separate samples, or if inputs have
  /// none.
  mlir::Operation *findMixing(mlir::Value value) const;

private:
  enum class Kind {
    Common,   ///< depends on no sample
    Separate, ///< block i on sample i
    Mixed,
  };

  Kind classify(mlir::Operation *op) const;
  /// Whether `op` works on each block alone, its operands being common or
  /// separate.
  bool keepsBlocks(mlir::Operation *op) const;
  bool isCommon(mlir::Value value) const {
    return kinds.lookup(value) == Kind::Common;
  }

  int64_t batch;
  llvm::DenseMap<mlir::Value, Kind> kinds;
};

} // namespace accel

#endif
