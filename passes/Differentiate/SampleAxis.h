// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dimension of a tensor that counts samples, and what operations make of
// it.
#ifndef ACCEL_PASSES_DIFFERENTIATE_SAMPLEAXIS_H
#define ACCEL_PASSES_DIFFERENTIATE_SAMPLEAXIS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace accel {

/// Index i of dimension `dimension` belongs to sample (i / inner) mod batch:
/// of heads (positions, batch x heads, width), `dimension` is 1 and `inner` the
/// number of heads.
struct SampleAxis {
  int64_t dimension;
  int64_t inner;

  bool operator==(const SampleAxis &other) const {
    return dimension == other.dimension && inner == other.inner;
  }
};

/// Whether `op` computes each element of its result from those of the same
/// place.
bool isElementwise(mlir::Operation *op);

/// The axis of a tensor of shape `shape` that has, in row-major order, blocks
/// of `blockSize` elements; none if no dimension alone counts the `batch`
/// samples. Inverse of getBlockSize.
std::optional<SampleAxis> findSampleAxis(llvm::ArrayRef<int64_t> shape,
                                         int64_t blockSize, int64_t batch);
int64_t getBlockSize(llvm::ArrayRef<int64_t> shape, SampleAxis axis);

/// The axis of `result`, one of the results of the operation that `operand` is
/// one of, if `axis` is that of the operand and each element of the result
/// reads elements of one sample of this operand only. None if it does not, or
/// is not known to.
std::optional<SampleAxis> carrySampleAxis(mlir::OpOperand &operand,
                                          SampleAxis axis, mlir::Value result,
                                          int64_t batch);

/// The other way round: the axis of `operand` along which elements of a sample
/// are read where those of `axis` of `result` are computed. None if all samples
/// read the same elements of it, or if that is not known.
std::optional<SampleAxis> traceSampleAxis(mlir::OpOperand &operand,
                                          SampleAxis axis, mlir::Value result,
                                          int64_t batch);

} // namespace accel

#endif
