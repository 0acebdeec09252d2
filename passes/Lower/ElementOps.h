// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What element-wise operations compute for one element.
#ifndef ACCEL_PASSES_LOWER_ELEMENTOPS_H
#define ACCEL_PASSES_LOWER_ELEMENTOPS_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"

namespace accel {

/// The result of the element-wise operation `op` for scalar `operands`; null if
/// its element type has no code.
mlir::Value emitElementOp(mlir::OpBuilder &builder, mlir::Operation *op,
                          llvm::ArrayRef<mlir::Value> operands);

/// The number in every element of a splat; null if it is none.
mlir::Value emitConstant(mlir::OpBuilder &builder, ConstantOp op);

} // namespace accel

#endif
