// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one iteration of a vectorised row loads and stores.
#ifndef ACCEL_PASSES_LOWER_CPU_ROWMEMORY_H
#define ACCEL_PASSES_LOWER_CPU_ROWMEMORY_H

#include "passes/Lower/IndexArithmetic.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace accel {

/// What differs between full vectors, the tail and a single element.
struct RowIteration {
  int64_t lanes;     ///< 0: scalar
  mlir::Value start; ///< index of the first element, a multiple of 4
  mlir::Value count; ///< of elements in the tail; null: all lanes
  mlir::Value mask;  ///< of the tail
};

/// Emits loads and stores of an iteration of `op` at the builder's insertion
/// point. Borrows: the builder.
class RowMemory {
public:
  RowMemory(mlir::linalg::GenericOp op, const RowIteration &iteration,
            mlir::OpBuilder &builder)
      : op(op), iteration(iteration), builder(builder), loc(op.getLoc()),
        indices(builder, loc) {}

  /// The elements of an operand, or its only one.
  mlir::Value load(mlir::OpOperand &operand);
  void store(mlir::Value buffer, mlir::Value value);

private:
  bool needsStage(mlir::Type element) const;
  mlir::Value stage(mlir::VectorType type);
  mlir::Value loadStaged(mlir::Value buffer, mlir::VectorType type);
  void copy(mlir::Value from, bool fromStage, mlir::Value to);
  void prefetch(mlir::Value buffer, mlir::Type element);

  mlir::linalg::GenericOp op;
  RowIteration iteration;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexArithmetic indices;
};

} // namespace accel

#endif
