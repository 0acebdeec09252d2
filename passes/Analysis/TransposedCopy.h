// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that copy a tensor into another order.
#ifndef ACCEL_PASSES_ANALYSIS_TRANSPOSEDCOPY_H
#define ACCEL_PASSES_ANALYSIS_TRANSPOSEDCOPY_H

#include "passes/Analysis/TensorAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace accel {

/// A kernel's only result, copied from `source`, whose neighbours are apart in
/// the result and the other way round. The result is a matrix: its rows are
/// what `view` has up to `rowsOf`, the dimension of the source's neighbours,
/// its columns are what is behind.
struct TransposedCopy {
  mlir::BlockArgument source;
  AffineView view; ///< the result's elements as places in the source
  size_t rowsOf;

  /// Nothing where `kernel` does something else.
  static std::optional<TransposedCopy> find(mlir::func::FuncOp kernel);

  int64_t resultColumns() const;
  /// How many blocks of `rows` neighbours of the source the result's rows are
  /// cut into, none of which reaches beyond `rowsOf`.
  int64_t blocksOfColumn(int64_t rows) const;
};

} // namespace accel

#endif
