// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the elements of a row are put together to one number.
#ifndef ACCEL_PASSES_LOWER_LOOPS_COMBINATION_H
#define ACCEL_PASSES_LOWER_LOOPS_COMBINATION_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace accel {

/// That of the row reduction `op`, a sum, maximum or minimum of `accel`.
mlir::vector::CombiningKind getCombination(mlir::Operation *op);

/// The number that changes nothing: what an accumulator begins with.
mlir::TypedAttr getNeutral(mlir::vector::CombiningKind kind,
                           mlir::Type element);

/// The lanes of `vector` combined by halves: first the upper half onto the
/// lower, and so on.
mlir::Value combineLanes(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::vector::CombiningKind kind, mlir::Value vector);

} // namespace accel

#endif
