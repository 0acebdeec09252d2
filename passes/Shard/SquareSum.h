// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The square of the norm of a segment's gradient.
#ifndef ACCEL_PASSES_SHARD_SQUARESUM_H
#define ACCEL_PASSES_SHARD_SQUARESUM_H

#include "dialects/Accel/IR/Optimizers/SegmentArithmetic.h"

namespace accel {

/// The sum of squares of the gradient slot of `segment` as an f64 scalar: rows
/// of 128 in f32, then rows in f64.
mlir::Value buildSquareSum(ScalarBuilder &scalars,
                           const TrainedSegment &segment);

} // namespace accel

#endif
