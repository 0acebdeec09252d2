// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of products of rows with the matrices that their indices choose.
#ifndef ACCEL_PASSES_ANALYSIS_GROUPEDSIZES_H
#define ACCEL_PASSES_ANALYSIS_GROUPEDSIZES_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

struct GroupedSizes {
  int64_t rows = 0;      ///< that choose
  int64_t matrices = 0;  ///< from which they choose
  int64_t inner = 0;     ///< of a matrix as it multiplies a row, or is summed
  int64_t columns = 0;   ///< the same
  bool isOuter = false;  ///< sums of outer products
  bool isTurned = false; ///< matrices lie transposed
  bool isNarrow = false; ///< operands are floats of 16 bits
  bool skipsOthers = false; ///< rows of other indices choose no matrix

  /// Of an accel.grouped_matmul or accel.grouped_outer.
  static GroupedSizes get(mlir::Operation *op);
};

/// Whether `op` multiplies rows by the matrices that they choose.
bool isGrouped(mlir::Operation *op);

/// The product of that kind that `kernel` is about; null: it is about something
/// else.
mlir::Operation *findGrouped(mlir::func::FuncOp kernel);

} // namespace accel

#endif
