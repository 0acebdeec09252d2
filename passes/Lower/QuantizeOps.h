// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 8-bit codes as arithmetic: no table, no branch, so that it is the same on
// every target and a few operations of vectors.
#ifndef ACCEL_PASSES_LOWER_QUANTIZEOPS_H
#define ACCEL_PASSES_LOWER_QUANTIZEOPS_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"

namespace accel {

/// The byte (i8) of the number `value` (f32).
mlir::Value emitQuantize(mlir::OpBuilder &builder, mlir::Location loc,
                         ByteCode code, mlir::Value value);

/// The number (f32) of the byte `value` (i8).
mlir::Value emitDequantize(mlir::OpBuilder &builder, mlir::Location loc,
                           ByteCode code, mlir::Value value);

} // namespace accel

#endif
