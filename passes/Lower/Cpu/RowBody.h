// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One iteration of a vectorised row: the body of a one-dimensional
// linalg.generic on vectors, full or masked, or on a single element.
#ifndef ACCEL_PASSES_LOWER_CPU_ROWBODY_H
#define ACCEL_PASSES_LOWER_CPU_ROWBODY_H

#include "passes/Lower/Cpu/RowMemory.h"
#include "passes/Lower/Loops/RowReductions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace accel {

/// Emits iterations of `op` at the builder's insertion point. Borrows: all.
class RowBody {
public:
  RowBody(mlir::linalg::GenericOp op, mlir::ArrayRef<RowReduction> reductions,
          mlir::OpBuilder &builder)
      : op(op), reductions(reductions), builder(builder), loc(op.getLoc()) {}

  /// Loads, computes, stores, and gives what the accumulators become.
  mlir::SmallVector<mlir::Value> emit(const RowIteration &iteration,
                                      mlir::ValueRange accumulators);

private:
  void mapOperands(RowMemory &memory, mlir::ValueRange accumulators);
  void mapOperation(mlir::Operation &inner);
  bool mapUniform(mlir::Operation &inner);
  bool mapQuarter(mlir::Operation &inner);
  mlir::Value firstQuarters(mlir::Operation &shift);
  bool isUniform(mlir::Value value);
  mlir::Value uniform(mlir::Value value);
  mlir::Value widened(mlir::Value value);
  mlir::Value quartered(mlir::Value value);
  mlir::Value lanesFrom(mlir::Value start, mlir::Type type, int64_t lanes);
  mlir::Value indices(mlir::Type type);
  void create(mlir::Operation &inner, mlir::ArrayRef<mlir::Value> operands,
              int64_t lanes, mlir::IRMapping &results);

  bool isOutside(mlir::Value value) {
    return value.getParentBlock() != op.getBody();
  }
  int64_t reductionOf(mlir::OpOperand &operand) const;
  mlir::Type widen(mlir::Type type, int64_t lanes) const {
    return lanes == 0 ? type : mlir::VectorType::get({lanes}, type);
  }

  mlir::linalg::GenericOp op;
  mlir::ArrayRef<RowReduction> reductions;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  RowIteration iteration;
  mlir::IRMapping map;      ///< values of the body, one element per lane
  mlir::IRMapping uniforms; ///< integers that are the same for all lanes
  mlir::IRMapping quarters; ///< those that are the same for four neighbours,
                            ///< one element per four lanes
};

} // namespace accel

#endif
