// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How products of rows with the matrices that their indices choose are cut into
// tiles on a CPU, and the workspace of a tile.
#ifndef ACCEL_PASSES_TARGET_CPU_GROUPEDTILES_H
#define ACCEL_PASSES_TARGET_CPU_GROUPEDTILES_H

#include "passes/Analysis/GroupedSizes.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace accel {

/// A tile is a matrix and 64 columns of what is made of it: of the results of
/// the rows that chose it, or of the sum of their outer products. No two tiles
/// write the same element.
struct GroupedTiles : GroupedSizes {
  /// Of an accel.grouped_matmul or accel.grouped_outer.
  static GroupedTiles get(mlir::Operation *op) {
    return {GroupedSizes::get(op)};
  }

  static constexpr int64_t kColumns = 64;
  /// How much of the summed index is packed at a time, and how many columns of
  /// the left side of outer products.
  static constexpr int64_t kDepth = 256, kLeftColumns = 16;
  /// Rows of 16 bits that are packed at a time; rows whose sums of f32 are kept
  /// until they are rounded.
  static constexpr int64_t kLeftRows = 8, kSumRows = 256;

  int64_t tilesOfMatrix() const { return llvm::divideCeil(columns, kColumns); }
  int64_t launchTiles() const { return matrices * tilesOfMatrix(); }
  /// Whether sums are kept until they are rounded.
  bool keepsSums() const { return isNarrow && !isOuter; }
  /// In floats: the numbers of the rows that chose the matrix; 64 columns of
  /// the matrix, or of the right side's rows; some columns of the left side's
  /// rows, or some rows of 16 bits; sums that will be rounded.
  int64_t listFloats() const { return llvm::alignTo(rows, 16); }
  int64_t rightFloats() const { return kDepth * kColumns; }
  int64_t leftFloats() const {
    return isOuter ? kDepth * kLeftColumns : isNarrow ? kDepth * kLeftRows : 0;
  }
  int64_t sumRows() const { return std::min(rows, kSumRows); }
  int64_t sumFloats() const { return keepsSums() ? sumRows() * kColumns : 0; }
  int64_t workspaceBytes() const {
    return 4 * (listFloats() + rightFloats() + leftFloats() + sumFloats());
  }
};

} // namespace accel

#endif
