// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counterparts of values in 8 bits, and their scales.
#ifndef ACCEL_PASSES_PRECISION_SCALEDVALUES_H
#define ACCEL_PASSES_PRECISION_SCALEDVALUES_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"

namespace accel {

/// A tensor of floats of 8 bits, and what its numbers are multiplied by
/// afterwards: an f32 scalar.
struct ScaledValue {
  mlir::Value numbers, inverse;
};

/// What a tensor is multiplied by before it is rounded, and what undoes that:
/// f32 scalars.
struct TensorScale {
  mlir::Value scale, inverse;
};

/// Where the scales of tensors that a microbatch computes come from.
class TensorScales {
public:
  virtual ~TensorScales() = default;

  /// That of `tensor`, of f32, for `element`, at the insertion point of `b`,
  /// which is behind it. Asked once for each tensor and type.
  virtual TensorScale get(ArithmeticBuilder &b, mlir::Value tensor,
                          mlir::Type element) = 0;
  /// Ends `microbatch`, in which all scales have been asked for.
  virtual void finish(mlir::func::FuncOp microbatch) = 0;
};

/// Those of their largest magnitudes in this microbatch.
class CurrentScales final : public TensorScales {
public:
  TensorScale get(ArithmeticBuilder &b, mlir::Value tensor,
                  mlir::Type element) override;
  void finish(mlir::func::FuncOp) override {}
};

/// Makes values of 8 bits, each once for each type: multiplied by a scale, and
/// rounded. Borrows: the scales.
class ScaledValues {
public:
  explicit ScaledValues(TensorScales &scales) : scales(scales) {}

  /// `value`, an f32 tensor, in `element`. Where it is a view of all elements
  /// of a tensor, or of a parameter, what that became is viewed; another part
  /// of a tensor has a scale of its own.
  ScaledValue get(mlir::Value value, mlir::Type element);

  /// From now on `get` of `value` is `scaled`.
  void set(mlir::Value value, const ScaledValue &scaled);

private:
  ScaledValue make(mlir::Value value, mlir::Type element);
  bool isKnown(mlir::Value value, mlir::Type element) const;

  TensorScales &scales;
  llvm::MapVector<std::pair<mlir::Value, mlir::Type>, ScaledValue> known;
};

} // namespace accel

#endif
