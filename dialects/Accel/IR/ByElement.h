// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that compute every element of their result of the operands'
// elements at its place: they do the same in any order and of any part.
#ifndef ACCEL_DIALECTS_ACCEL_IR_BYELEMENT_H
#define ACCEL_DIALECTS_ACCEL_IR_BYELEMENT_H

#include "dialects/Accel/IR/AccelOps.h"

namespace accel {

/// Whether `op`, which may be null, does so, with one result and of nothing
/// else.
bool isComputedByElement(mlir::Operation *op);

/// What `op`, whose attributes do not depend on shapes, makes of `operands`;
/// the result has the element type of `op`'s and shape `shape`.
mlir::Value buildLike(mlir::OpBuilder &builder, mlir::Operation *op,
                      mlir::ValueRange operands, llvm::ArrayRef<int64_t> shape);

} // namespace accel

#endif
