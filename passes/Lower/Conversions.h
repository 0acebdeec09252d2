// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers from one element type to another, and from what memory holds to an
// element and back.
#ifndef ACCEL_PASSES_LOWER_CONVERSIONS_H
#define ACCEL_PASSES_LOWER_CONVERSIONS_H

#include "mlir/IR/Builders.h"

namespace accel {

/// The scalar `value` converted to `type` as `accel.cast` does. Requires: of
/// floats f32 and f64 only.
mlir::Value emitCast(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, mlir::Type type);

/// An element of type `from` as one of type `to`, as `accel.cast` does: floats
/// of 16 and 8 bits are their bits, integers of that width, in code.
mlir::Value emitElementCast(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value element, mlir::Type from, mlir::Type to,
                            bool saturates);

/// An index as a number of `type`.
mlir::Value emitIndexAs(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value index, mlir::Type type);

/// From what memory holds to an element and back: booleans are bytes 0 and 1
/// there; 8-bit codes (ui8) are bytes (i8) in both, and floats of 16 and 8 bits
/// their bits.
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value stored, mlir::Type element);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value element);

} // namespace accel

#endif
