// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What counts in the statistics of a batch norm: for its gradient and for the
// pass that makes primitives of it.
#ifndef ACCEL_DIALECTS_ACCEL_IR_COMPOSITE_BATCHNORM_H
#define ACCEL_DIALECTS_ACCEL_IR_COMPOSITE_BATCHNORM_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

namespace accel {

/// How many elements of each channel count, a scalar; 0 where all of the
/// microbatch is padding.
mlir::Value buildCount(ArithmeticBuilder &b, BatchNormOp op);

/// `value`, of the operand's shape, with zeros where an element does not count.
mlir::Value keepCounted(ArithmeticBuilder &b, BatchNormOp op,
                        mlir::Value value);

} // namespace accel

#endif
