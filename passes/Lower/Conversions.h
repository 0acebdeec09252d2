// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers from one element type to another, and from what memory holds to an
// element and back.
#ifndef ACCEL_PASSES_LOWER_CONVERSIONS_H
#define ACCEL_PASSES_LOWER_CONVERSIONS_H

#include "mlir/IR/Builders.h"

namespace accel {

/// The scalar `value` converted to `type` as `accel.cast` does.
mlir::Value emitCast(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, mlir::Type type);

/// An index as a number of `type`.
mlir::Value emitIndexAs(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value index, mlir::Type type);

/// From what memory holds to an element and back: booleans are bytes 0 and 1
/// there; 8-bit codes (ui8) are bytes (i8) in both.
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value stored, mlir::Type element);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value element);

} // namespace accel

#endif
