// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an operation takes part in fusion.
#ifndef ACCEL_PASSES_FUSE_FUSABLEOPS_H
#define ACCEL_PASSES_FUSE_FUSABLEOPS_H

#include "dialects/Accel/IR/AccelInterfaces.h"

#include "mlir/IR/Operation.h"

namespace accel {

/// How an operation fuses with others; random ones element by element.
FusionKind getFusionKindOf(mlir::Operation *op);

/// Whether some kernel computes `op`, which is no view.
bool isComputed(mlir::Operation *op);

/// Whether an operation is made anew wherever it is used: splat constants and
/// indices.
bool isSource(mlir::Operation *op);

/// Whether an operation is a matrix product with a kernel of its own.
bool isProduct(mlir::Operation *op);
/// Attention or its gradient.
bool isAttention(mlir::Operation *op);
/// Whether an operation sums rows, one sum for each column.
bool isColumnSum(mlir::Operation *op);

/// Whether `op` puts a value into a symbol or gives it to the run.
bool isSink(mlir::Operation *op);

/// Whether backward computes `op` again of what forward has left: it joins no
/// kernel of forward, which would store the result.
bool isRecomputed(mlir::Operation *op);
void setRecomputed(mlir::Operation *op, bool is = true);

/// Elements of a row that a reduction over trailing dimensions sums.
int64_t getReducedColumns(mlir::Operation *op);

} // namespace accel

#endif
