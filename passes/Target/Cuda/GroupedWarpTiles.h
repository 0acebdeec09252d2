// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How products of rows with the matrices that their indices choose are cut on a
// GPU: into blocks that a warp computes at a time.
#ifndef ACCEL_PASSES_TARGET_CUDA_GROUPEDWARPTILES_H
#define ACCEL_PASSES_TARGET_CUDA_GROUPEDWARPTILES_H

#include "passes/Analysis/GroupedSizes.h"

#include "llvm/Support/MathExtras.h"

namespace accel {

/// Tiles of the results of rows: a matrix, a slice of the rows, among which the
/// warp looks for those that chose the matrix, and 64 columns of their results.
/// Tiles of sums of outer products: a matrix, some rows of it and 64 columns.
/// No two tiles write the same element.
struct GroupedWarpTiles : GroupedSizes {
  /// Whether a GPU's matrix instructions multiply: of 16-bit floats, and
  /// matrices both of whose sizes are multiples of 64.
  bool usesMatrices;

  static GroupedWarpTiles get(mlir::Operation *op);

  static constexpr int64_t kColumns = 64;
  /// Rows of results that a warp computes at a time; rows of a sum of outer
  /// products.
  static constexpr int64_t kRows = 16;
  int64_t outerRows() const { return usesMatrices ? 32 : 16; }

  /// So many rows that about 32 of them choose a matrix if all are chosen
  /// alike: a slice in which few do leaves most of a warp's products unused.
  int64_t sliceRows() const;

  int64_t columnBlocks() const { return llvm::divideCeil(columns, kColumns); }
  /// Parts into which the work of a matrix is cut besides columns.
  int64_t parts() const {
    return isOuter ? llvm::divideCeil(inner, outerRows())
                   : llvm::divideCeil(rows, sliceRows());
  }
  int64_t allTiles() const { return matrices * parts() * columnBlocks(); }
};

} // namespace accel

#endif
