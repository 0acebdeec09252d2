// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interfaces by which passes work on any `accel` operation without knowing
// it.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ACCELINTERFACES_H
#define ACCEL_DIALECTS_ACCEL_IR_ACCELINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace accel {

/// What an operation is to the fusion planner.
enum class FusionKind {
  None,        ///< has no kernel; must be gone before Fuse
  Source,      ///< constants, indices, random numbers: made where they are used
  Elementwise, ///< one result element from the operands' elements at the same
               ///< index
  View,        ///< another way to address its operand's elements
  Assembly,    ///< copies its operands into parts of its result
  Reduction,   ///< over rows or columns
  Gather,      ///< rows of a table chosen by indices
  ScatterAdd,  ///< rows summed into a table
  Product,     ///< a product of matrices
  Composite    ///< expanded into the others before fusion
};

/// The number of elements of a tensor; 0 while its shape is not known.
inline int64_t elementCount(mlir::Value tensor) {
  auto type = llvm::cast<mlir::ShapedType>(tensor.getType());
  return type.hasStaticShape() ? type.getNumElements() : 0;
}

} // namespace accel

#include "dialects/Accel/IR/AccelInterfaces.h.inc"

#endif
