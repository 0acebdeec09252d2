// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Low counterparts of values.
#ifndef ACCEL_PASSES_PRECISION_LOWVALUES_H
#define ACCEL_PASSES_PRECISION_LOWVALUES_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"

namespace accel {

/// Makes values of `low`, each once.
class LowValues {
public:
  explicit LowValues(mlir::Type low) : low(low) {}

  mlir::Type getType() const { return low; }

  /// Rounds `value`, an f32 tensor, behind its definition, and lets all its
  /// users read the rounded value, widened again.
  void round(mlir::Value value);

  /// `value`, an f32 tensor, in `low`: what it was widened from if it was, a
  /// view of that if it is a view, else a cast behind its definition.
  mlir::Value get(mlir::Value value);

  /// From now on `get` of `value` is `lowered`.
  void set(mlir::Value value, mlir::Value lowered) { known[value] = lowered; }

  /// What was `old` is `lowered` now.
  void replace(mlir::Value old, mlir::Value lowered);

private:
  mlir::Value make(mlir::Value value);
  mlir::Value concatenate(ConcatOp wide, mlir::OpBuilder &builder);

  mlir::Type low;
  llvm::MapVector<mlir::Value, mlir::Value> known;
};

} // namespace accel

#endif
