// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linalg.generic that a sweep becomes, as targets find it: one loop over
// neighbouring elements of buffers.
#ifndef ACCEL_PASSES_LOWER_LOOPS_SWEEPOP_H
#define ACCEL_PASSES_LOWER_LOOPS_SWEEPOP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace accel {

/// Says a power of two that divides the trip count; 1 without it.
inline constexpr llvm::StringLiteral kDivisorAttr = "accel.divisor";
/// Says that what is read is far larger than the caches: a CPU asks for it
/// ahead.
inline constexpr llvm::StringLiteral kFarAttr = "accel.far";

/// An error on `op` if it is not one loop over buffers, with operands that have
/// an element for each iteration, or one for all.
mlir::LogicalResult checkSweep(mlir::linalg::GenericOp op);

/// What divides the trip count; an error if it is no power of two.
mlir::FailureOr<int64_t> getDivisor(mlir::linalg::GenericOp op);

} // namespace accel

#endif
