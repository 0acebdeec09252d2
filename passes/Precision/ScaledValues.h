// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands in 8 bits with a scale for each tensor.
#ifndef ACCEL_PASSES_PRECISION_SCALEDVALUES_H
#define ACCEL_PASSES_PRECISION_SCALEDVALUES_H

#include "passes/Precision/Fp8Operands.h"

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
/// rounded. A product of them is multiplied by what undoes both scales.
class ScaledValues final : public Fp8Operands {
public:
  explicit ScaledValues(std::unique_ptr<TensorScales> scales)
      : scales(std::move(scales)) {}

  int64_t countScales(mlir::RankedTensorType) const override { return 1; }
  void setParameter(ArithmeticBuilder &b, ReadOp read,
                    const Fp8Parameter &parameter) override;
  Value multiply(ArithmeticBuilder &b, MatmulOp product, mlir::Type lhs,
                 mlir::Type rhs) override;
  void finish(mlir::func::FuncOp microbatch) override {
    scales->finish(microbatch);
  }

private:
  ScaledValue get(Value value, mlir::Type element);
  ScaledValue make(Value value, mlir::Type element);

  std::unique_ptr<TensorScales> scales;
  llvm::MapVector<std::pair<Value, mlir::Type>, ScaledValue> known;
};

} // namespace accel

#endif
