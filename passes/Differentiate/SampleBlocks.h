// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the samples of a microbatch lie in a value, through transposes and
// reshapes: the question behind giving the elements of a loss the weight of
// their sample.
#ifndef ACCEL_PASSES_DIFFERENTIATE_SAMPLEBLOCKS_H
#define ACCEL_PASSES_DIFFERENTIATE_SAMPLEBLOCKS_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace accel {

/// The elements of a value with separate samples form, in row-major order,
/// blocks of equal size; block j depends on sample j mod batch of the inputs
/// and on no other one. So a reshape changes nothing. A tensor (positions,
/// batch, width) has blocks of size `width`; one with the batch in front has as
/// many blocks as samples.
class SampleBlocks {
public:
  /// Classifies what `block`, the body of @forward with `batch` samples,
  /// computes. Dropout is taken to choose the numbers of each element by the
  /// element's own sample, as PlaceDropout makes it.
  SampleBlocks(mlir::Block &block, int64_t batch);

  /// The size of the blocks of `value`; none if it depends on no sample, or is
  /// not known to keep samples separate.
  std::optional<int64_t> getBlockSize(mlir::Value value) const;

  /// Whether `value` has one block per sample: what is in front of all other
  /// dimensions counts samples.
  bool areInFront(mlir::Value value) const;

  /// Whether `value` depends on no sample.
  bool isCommon(mlir::Value value) const {
    return places.lookup(value).kind == Kind::Common;
  }

  /// The first operation on the way to `value` that is not known to keep its
  /// samples separate; null if `value` has separate samples, or if inputs have
  /// none.
  mlir::Operation *findMixing(mlir::Value value) const;

private:
  enum class Kind {
    Common,   ///< depends on no sample
    Separate, ///< in blocks of `blockSize`
    Mixed,
  };
  struct Place {
    Kind kind = Kind::Mixed;
    int64_t blockSize = 0;
  };

  Place placeInFront(mlir::Value value) const;
  Place classify(mlir::Operation *op, mlir::Value result) const;
  /// Of an operation that reads samples, all of them separate.
  Place classifySeparate(mlir::Operation *op, mlir::Value result) const;
  bool numbersSamples(mlir::Operation *op, mlir::Value result,
                      Place place) const;
  bool isMixed(mlir::Value value) const {
    return places.lookup(value).kind == Kind::Mixed;
  }

  int64_t batch;
  llvm::DenseMap<mlir::Value, Place> places;
};

} // namespace accel

#endif
