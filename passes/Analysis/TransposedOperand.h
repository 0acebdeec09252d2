// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in another order, and kernels that copy one so.
#ifndef ACCEL_PASSES_ANALYSIS_TRANSPOSEDOPERAND_H
#define ACCEL_PASSES_ANALYSIS_TRANSPOSEDOPERAND_H

#include "passes/Analysis/TensorAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace accel {

/// A tensor in another order, whose neighbours are apart in the result and the
/// other way round. The result is a matrix: its rows are what `view` has up to
/// `rowsOf`, the dimension of the source's neighbours, its columns are what is
/// behind.
struct TransposedMatrix {
  AffineView view; ///< the result's elements as places in the source
  size_t rowsOf;

  int64_t resultColumns() const;
  /// How many blocks of `rows` neighbours of the source the result's rows are
  /// cut into, none of which reaches beyond `rowsOf`.
  int64_t countBlocks(int64_t rows) const;
};

/// A kernel's only result, which is operand `source` in another order.
struct TransposedOperand : TransposedMatrix {
  mlir::BlockArgument source;

  /// Nothing where `kernel` does something else.
  static std::optional<TransposedOperand> find(mlir::func::FuncOp kernel);
};

} // namespace accel

#endif
