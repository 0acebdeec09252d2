// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What counts in the statistics of a batch norm, and what it makes of them: for
// its gradient, for the pass that makes primitives of it, and for importers.
#ifndef ACCEL_DIALECTS_ACCEL_IR_COMPOSITE_BATCHNORM_H
#define ACCEL_DIALECTS_ACCEL_IR_COMPOSITE_BATCHNORM_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

namespace accel {

/// How many elements of each channel count, a scalar: in this rank's
/// microbatch, 0 where all of it is padding.
mlir::Value buildOwnCount(ArithmeticBuilder &b, BatchNormOp op);
/// The same of all that `op` takes its statistics of.
mlir::Value buildCount(ArithmeticBuilder &b, BatchNormOp op);

/// `value`, a sum over this rank's microbatch, as a sum over all that `op`
/// takes its statistics of.
mlir::Value sumOverRanks(ArithmeticBuilder &b, BatchNormOp op,
                         mlir::Value value);

/// `value`, of the operand's shape, with zeros where an element does not count.
mlir::Value keepCounted(ArithmeticBuilder &b, BatchNormOp op,
                        mlir::Value value);

/// `1 / sqrt(variance + epsilon)`.
mlir::Value buildRstd(ArithmeticBuilder &b, mlir::Value variance,
                      double epsilon);

/// That of the microbatch, of whose channels `count` elements each count: zero
/// where these are fewer than two, which have no variance.
mlir::Value buildRstd(ArithmeticBuilder &b, BatchNormOp op,
                      mlir::Value variance, mlir::Value count);

/// `(x - mean) * rstd * scale + bias`; all but `x` have one number for each
/// channel, which lie along its dimension 1.
mlir::Value buildNormalised(ArithmeticBuilder &b, mlir::Value x,
                            mlir::Value mean, mlir::Value rstd,
                            mlir::Value scale, mlir::Value bias);

} // namespace accel

#endif
