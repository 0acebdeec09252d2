// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What element-wise operations compute for one element, in `arith` and `math`.
// Nothing carries a fast-math flag: which products and sums become one
// operation is decided once, by ExpandMath, for all targets.
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

/// `element`, or lanes of it if `type` has lanes.
mlir::Value emitSplat(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Type type, mlir::TypedAttr element);

/// A float or integer constant of `type`, or of every lane of it. Requires: an
/// integer type holds `value`.
mlir::Value emitNumber(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Type type, double value);

/// `lhs + rhs` of floats or integers.
mlir::Value emitSum(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value lhs, mlir::Value rhs);

/// An index as a number of `type`.
mlir::Value emitIndexAs(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value index, mlir::Type type);

/// `value` converted to `type` as `accel.cast` does.
mlir::Value emitCast(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, mlir::Type type);

/// From what memory holds to an element and back: booleans are bytes 0 and 1
/// there; 8-bit codes (ui8) are bytes (i8) in both.
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value stored, mlir::Type element);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value element);

} // namespace accel

#endif
