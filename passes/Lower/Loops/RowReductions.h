// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reductions of a row: which operands take in all its elements, and what
// they begin and end with.
#ifndef ACCEL_PASSES_LOWER_LOOPS_ROWREDUCTIONS_H
#define ACCEL_PASSES_LOWER_LOOPS_ROWREDUCTIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace accel {

/// An operand that takes in all elements.
struct RowReduction {
  mlir::OpOperand *accumulator;
  mlir::vector::CombiningKind kind;
};

/// Those of a one-dimensional linalg.generic over buffers. Accumulators are one
/// value for each, in their order. Code is written at the builder's insertion
/// point.
class RowReductions {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Reports a result that takes in all elements and is no sum, product,
  /// maximum or minimum.
  static mlir::FailureOr<RowReductions> find(mlir::linalg::GenericOp op);

  llvm::ArrayRef<RowReduction> get() const { return reductions; }
  bool isEmpty() const { return reductions.empty(); }
  /// Whether the order of the elements changes any of them: maxima and minima
  /// are the same in any.
  bool haveOrder() const;

  /// Accumulators of so many lanes that have taken in nothing; 0: of one
  /// element.
  Values emitNeutral(mlir::OpBuilder &builder, int64_t lanes) const;
  /// What the buffers hold, as accumulators of one element.
  Values emitLoads(mlir::OpBuilder &builder) const;
  /// Such accumulators take the place of what the buffers hold.
  void emitStores(mlir::OpBuilder &builder, mlir::ValueRange totals) const;
  /// Combines the lanes of accumulators with each other, and with what the
  /// buffers hold.
  void emitCombined(mlir::OpBuilder &builder,
                    mlir::ValueRange accumulators) const;

private:
  explicit RowReductions(mlir::Location loc) : loc(loc) {}

  mlir::Location loc;
  llvm::SmallVector<RowReduction> reductions;
};

} // namespace accel

#endif
