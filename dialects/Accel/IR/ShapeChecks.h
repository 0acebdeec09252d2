// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks that verifiers of tensor operations share, with one wording:
// "expected `operand` of shape (4, 8), got (4, 7)". A size that is not known
// before Import fits every size.
#ifndef ACCEL_DIALECTS_ACCEL_IR_SHAPECHECKS_H
#define ACCEL_DIALECTS_ACCEL_IR_SHAPECHECKS_H

#include "mlir/IR/Operation.h"

#include <string>

namespace accel {

/// The shape of a ranked tensor.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor);

/// The element type of a ranked tensor.
mlir::Type elementTypeOf(mlir::Value tensor);

/// A shape as diagnostics write it: "(4, ?, 8)".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Whether two sizes can be one: they are equal, or one is not known.
bool fits(int64_t actual, int64_t expected);

/// Emits an error on `op` unless `value`, which the error calls `name`, has
/// the shape `expected`.
mlir::LogicalResult verifyShape(mlir::Operation *op, llvm::StringRef name,
                                mlir::Value value,
                                llvm::ArrayRef<int64_t> expected);

/// Emits an error on `op` unless `value` has the element type `expected`.
mlir::LogicalResult verifyElementType(mlir::Operation *op, llvm::StringRef name,
                                      mlir::Value value, mlir::Type expected);

/// Emits an error on `op` unless `value` has rank `rank`.
mlir::LogicalResult verifyRank(mlir::Operation *op, llvm::StringRef name,
                               mlir::Value value, int64_t rank);

/// Emits an error on `op` unless `value` has rank `rank` or more.
mlir::LogicalResult verifyMinimumRank(mlir::Operation *op, llvm::StringRef name,
                                      mlir::Value value, int64_t rank);

/// Emits an error on `op` unless `axis`, the attribute `name`, counts one of
/// `rank` dimensions.
mlir::LogicalResult verifyAxis(mlir::Operation *op, llvm::StringRef name,
                               int64_t axis, int64_t rank);

/// Emits an error on `op` unless the attribute `name` holds `expected` values.
mlir::LogicalResult verifyLength(mlir::Operation *op, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> values,
                                 int64_t expected);

} // namespace accel

#endif
