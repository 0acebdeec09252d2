// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the recognitions ask about values: is it one number everywhere, and
// which views lie on top of it.
#ifndef ACCEL_PASSES_IMPORT_CONSTANTVALUE_H
#define ACCEL_PASSES_IMPORT_CONSTANTVALUE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace accel {

/// The number that every element of `value` is equal to, if that is known: a
/// splat constant, also under views.
std::optional<double> getSplat(mlir::Value value);

/// Whether every element of `value` is `number`, up to the rounding of f32.
bool isSplat(mlir::Value value, double number);

/// Whether `left` and `right` are equal up to the rounding of f32, or of
/// several such numbers.
bool isClose(double left, double right, double tolerance = 1e-6);

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// `value`, or what it is a broadcast or reshape of.
mlir::Value skipViews(mlir::Value value);

/// Whether `value` is made of numbers behind each other, as a stack of losses
/// is. What belongs to one sample has a dimension that counts them, though of
/// size 1.
bool isNumberStack(mlir::Value value);

/// Whether `value` is computed from a parameter, among others.
bool dependsOnParameters(mlir::Value value);

} // namespace accel

#endif
