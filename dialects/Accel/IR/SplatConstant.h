// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What folds ask about constants that hold one number in every element, and
// how they change the shape of such a constant.
#ifndef ACCEL_DIALECTS_ACCEL_IR_SPLATCONSTANT_H
#define ACCEL_DIALECTS_ACCEL_IR_SPLATCONSTANT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace accel {

/// Whether every element is bitwise `number`: 0.0 is not -0.0. For integers
/// both mean 0. Null is a value that is not constant.
bool isSplatOf(mlir::Attribute constant, double number);

/// The boolean in every element, if it is one.
std::optional<bool> splatBool(mlir::Attribute constant);

/// The constant of type `type` with the same number in every element; null if
/// `constant` does not hold one number, or the type has an unknown size.
mlir::Attribute resizeSplat(mlir::Attribute constant, mlir::Type type);

} // namespace accel

#endif
