// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attention is cut on a GPU: into rows that a warp computes at a time.
#ifndef ACCEL_PASSES_TARGET_CUDA_WARPATTENTIONTILES_H
#define ACCEL_PASSES_TARGET_CUDA_WARPATTENTIONTILES_H

#include "passes/Analysis/AttentionSizes.h"

namespace accel {

/// Tiles of an attention: rows of queries of a head; of a gradient, behind all
/// of these, rows of keys of a key head, and where the gradients of keys and
/// values are made apart, the same twice again; behind these, where the bias
/// has a gradient, rows of queries of a head of all samples.
struct WarpAttentionTiles : AttentionSizes {
  /// Whether a GPU's matrix instructions multiply: of 16-bit floats whose rows
  /// are multiples of 16 elements, at multiples of 16 bytes, and short enough
  /// that what a warp keeps fits into registers. A gradient of bounded scores,
  /// or with that of a bias, does not.
  bool usesMatrices;
  int64_t queryRows, keyRows; ///< of a tile
  /// Whether tiles of keys are for the first half of the columns of the keys'
  /// gradient, others for the second, and others for the gradient of values:
  /// the sums of more would not fit into registers.
  bool splitsKeys;

  static WarpAttentionTiles get(mlir::Operation *op);

  int64_t tilesOfHead() const { return llvm::divideCeil(rows, queryRows); }
  int64_t tilesOfKeyHead() const { return llvm::divideCeil(columns, keyRows); }
  int64_t queryTiles() const { return batch * heads * tilesOfHead(); }
  /// Those of keys, or of each of the three kinds.
  int64_t keyTiles() const { return batch * keyHeads * tilesOfKeyHead(); }
  int64_t biasTiles() const { return sumsBias ? heads * rows : 0; }
  int64_t allTiles() const {
    return queryTiles() + biasTiles() +
           (isGradient ? keyTiles() * (splitsKeys ? 3 : 1) : 0);
  }
};

} // namespace accel

#endif
