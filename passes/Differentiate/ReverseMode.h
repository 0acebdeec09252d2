// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse-mode differentiation of straight-line code, by the gradient rules of
// its operations.
#ifndef ACCEL_PASSES_DIFFERENTIATE_REVERSEMODE_H
#define ACCEL_PASSES_DIFFERENTIATE_REVERSEMODE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace accel {

/// Builds, at the insertion point of `builder`, the gradients of `wrt` for
/// given gradients of `outputs`: the sums over all outputs of (derivative of
/// the output by the value) transposed times the output's gradient.
///
/// Only operations of `block` on a path from `wrt` to `outputs` through float
/// tensors are differentiated; a value that does not reach an output gets a
/// constant of zeros, so that no result is null. Contributions to one value are
/// added in reverse program order of its uses. Operations that a rule built in
/// vain are erased again. Fails after an error on the operation if one on the
/// way has no gradient rule or its rule fails, or after an error on the value
/// if it is no float tensor or a gradient has not the type of its output.
/// Requires: `outputs` and `wrt` are arguments or results of operations of
/// `block`, `wrt` possibly values from above; at the insertion point all values
/// of `block` and `outputGradients` are visible.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(mlir::OpBuilder &builder, mlir::Block &block,
              mlir::ArrayRef<mlir::Value> outputs,
              mlir::ArrayRef<mlir::Value> outputGradients,
              mlir::ArrayRef<mlir::Value> wrt);

/// As `differentiate`, with the contributions to each of `wrt` left apart
/// instead of added: one entry per use on the way (and per occurrence among
/// `outputs`), none if it does not reach an output. What lies before a value of
/// `wrt` in the block still gets the sum.
mlir::FailureOr<llvm::SmallVector<llvm::SmallVector<mlir::Value>>>
differentiateContributions(mlir::OpBuilder &builder, mlir::Block &block,
                           mlir::ArrayRef<mlir::Value> outputs,
                           mlir::ArrayRef<mlir::Value> outputGradients,
                           mlir::ArrayRef<mlir::Value> wrt);

} // namespace accel

#endif
