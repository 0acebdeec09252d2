// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between f32 and floats of 16 and 8 bits, which code holds as integers.
#ifndef ACCEL_PASSES_LOWER_SMALLFLOATCASTS_H
#define ACCEL_PASSES_LOWER_SMALLFLOATCASTS_H

#include "dialects/Accel/IR/SmallFloat.h"

#include "mlir/IR/Builders.h"

namespace accel {

/// The number that `bits` stand for, as f32: exact. Here and below values are
/// scalars or vectors.
mlir::Value emitWidened(mlir::OpBuilder &builder, mlir::Location loc,
                        const SmallFloat &format, mlir::Value bits);

/// The bits of what `accel.cast` makes of `value`, an f32.
mlir::Value emitNarrowed(mlir::OpBuilder &builder, mlir::Location loc,
                         const SmallFloat &format, mlir::Value value,
                         bool saturates);

} // namespace accel

#endif
