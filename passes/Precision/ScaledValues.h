// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counterparts of values in 8 bits, and their scales.
#ifndef ACCEL_PASSES_PRECISION_SCALEDVALUES_H
#define ACCEL_PASSES_PRECISION_SCALEDVALUES_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"

namespace accel {

/// A tensor of floats of 8 bits, and what its numbers are multiplied by
/// afterwards: an f32 scalar.
struct ScaledValue {
  mlir::Value numbers, inverse;
};

/// Makes values of 8 bits, each once for each type: multiplied by the scale of
/// their largest magnitude in this microbatch, and rounded.
class ScaledValues {
public:
  /// `value`, an f32 tensor, in `element`. Where it is a view of all elements
  /// of a tensor, or of a parameter, what that became is viewed; another part
  /// of a tensor has a scale of its own.
  ScaledValue get(mlir::Value value, mlir::Type element);

  /// From now on `get` of `value` is `scaled`.
  void set(mlir::Value value, const ScaledValue &scaled);

private:
  ScaledValue make(mlir::Value value, mlir::Type element);
  bool isKnown(mlir::Value value, mlir::Type element) const;

  llvm::MapVector<std::pair<mlir::Value, mlir::Type>, ScaledValue> known;
};

} // namespace accel

#endif
