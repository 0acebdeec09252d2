// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operands of products become in 8 bits, and how a product undoes that.
#ifndef ACCEL_PASSES_PRECISION_FP8OPERANDS_H
#define ACCEL_PASSES_PRECISION_FP8OPERANDS_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// What operands of products become: gradients, and everything else.
struct Fp8Types {
  mlir::Type forward, gradient;
};

/// A parameter as a microbatch reads it in 8 bits.
struct Fp8Parameter {
  mlir::Value numbers;
  mlir::Value inverses; ///< of the scales of all parameters: a vector of f32
  int64_t first;        ///< where its own begin
};

/// One way to scale operands: by whole tensors or by blocks.
class Fp8Operands {
public:
  using Value = mlir::Value;

  virtual ~Fp8Operands() = default;

  /// How many scales a parameter of `type` has.
  virtual int64_t countScales(mlir::RankedTensorType type) const = 0;
  /// From now on what `read` has read is `parameter`. The insertion point of
  /// `b` is in front of `read`.
  virtual void setParameter(ArithmeticBuilder &b, ReadOp read,
                            const Fp8Parameter &parameter) = 0;
  /// What `product` of f32 is, at the insertion point of `b`, with operands of
  /// the types `lhs` and `rhs`.
  virtual Value multiply(ArithmeticBuilder &b, MatmulOp product, mlir::Type lhs,
                         mlir::Type rhs) = 0;
  /// Ends `microbatch`, all of whose products are multiplied.
  virtual void finish(mlir::func::FuncOp microbatch) = 0;
};

} // namespace accel

#endif
