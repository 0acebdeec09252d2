// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a matrix product is cut: what Fuse needs to know of a kernel that it
// leaves to Lower, and Lower to write it.
#ifndef ACCEL_PASSES_ANALYSIS_PRODUCTTILES_H
#define ACCEL_PASSES_ANALYSIS_PRODUCTTILES_H

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/KernelShape.h"

namespace accel {

/// Sizes of a product, and what follows for its kernel. Where operands have
/// leading dimensions, `matrices` products of equal sizes are computed, whose
/// operands and results lie one behind the other.
struct ProductTiles {
  int64_t matrices, rows, columns, depth;
  bool transposeLhs, transposeRhs;

  static ProductTiles get(MatmulOp op);

  /// Summed elements of a block, a multiple of 16: blocks are summed one after
  /// the other, so the number is part of what a kernel means.
  int64_t blockDepth() const;
  int64_t blocks() const;
  /// Columns of the right matrix that are packed at once.
  int64_t packedColumns() const;

  /// Floats from one packed panel of so many columns to the next: a row more
  /// than it has, so that panels do not begin at the same place of a cache.
  int64_t panelStride(int64_t panel) const;
  /// Where in a thread's scratch, in floats, the packed rows of the left matrix
  /// begin, behind any panels of the right one.
  int64_t lhsOffset() const;
  /// Rows of the left matrix that are packed at once; any register block's
  /// divide it.
  static constexpr int64_t kPackedRows = 48;

  /// The loop of the kernel: over blocks of columns or, if there are more, of
  /// rows, matrix by matrix.
  KernelShape getShape() const;
};

/// The product of a kernel of that kind; null if there is none.
MatmulOp getProduct(mlir::func::FuncOp kernel);

} // namespace accel

#endif
