// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call of cuBLASLt makes of the sums of a product before it stores them.
#ifndef ACCEL_PASSES_TARGET_CUDA_CALLEPILOGUE_H
#define ACCEL_PASSES_TARGET_CUDA_CALLEPILOGUE_H

#include "dialects/Accel/IR/AccelOps.h"

namespace accel {

/// The vector that the call for `product` adds to all rows of it, as operand of
/// what adds it; null if there is none. It has the type that the call stores.
mlir::OpOperand *findBias(MatmulOp product);

/// The sums of `product`, with the bias if the call adds one.
mlir::Value getSums(MatmulOp product);

/// The GELU, in its form by tanh, of these sums, or the gradient of such a GELU
/// that is their product with its derivative; null if there is none, or if a
/// call does not compute it. The call stores its result, and what a GELU is
/// applied to if others read that, in one type.
mlir::Operation *findActivation(MatmulOp product);

/// Whether the call for `product` also computes `op`, which reads it: a scale
/// of floats of 8 bits, the bias and what widens it, `activation` (null: none),
/// or a rounding to 16 bits of what it stores.
bool isPartOfCall(MatmulOp product, mlir::Operation *activation,
                  mlir::Operation *op);

/// Whether `value` is the sums of `product` under at most two scales, which
/// then are in `scales`, the last one first.
bool isScaledSum(mlir::Value value, MatmulOp product,
                 mlir::SmallVectorImpl<mlir::Value> &scales);

/// The vector that `value` repeats for all rows, of floats that may have been
/// widened since; null if there is none.
mlir::Value findRepeatedVector(mlir::Value value);

/// `value` under another shape is still what it was.
mlir::Value skipReshapes(mlir::Value value);

/// What is stored of `value`: itself, or what it was before it was rounded.
mlir::Value skipRounding(mlir::Value value);

} // namespace accel

#endif
