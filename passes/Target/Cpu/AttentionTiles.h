// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attention is cut into tiles on a CPU: its tiles and workspace, and what
// its code needs to know of them.
#ifndef ACCEL_PASSES_TARGET_CPU_ATTENTIONTILES_H
#define ACCEL_PASSES_TARGET_CPU_ATTENTIONTILES_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/AttentionTile.h"
#include "passes/Analysis/AttentionSizes.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/TensorAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <array>

namespace accel {

/// Elements of a vector in attention.
inline constexpr int64_t kTileLanes = 16;

/// Sizes of an attention, and what follows for its kernels.
struct AttentionTiles : AttentionSizes {
  bool isNarrow; ///< whether numbers have 16 bits in memory

  /// Of an attention or of its gradient.
  static AttentionTiles get(mlir::Operation *op);

  /// Whether causality cuts the tiles on the diagonal, and no others.
  bool hasDiagonal() const { return causal && rows == columns; }
  int64_t rowBlocks() const;
  int64_t columnBlocks() const;
  /// Row blocks p and rowBlocks - 1 - p, where there is a diagonal: equal work.
  int64_t launchTilesPerHead() const;

  /// Backward: whether all queries of a head, and gradients of its results, are
  /// copied at once, if they do not lie one behind the other. Otherwise each
  /// tile copies what it reads, again for every block of columns.
  bool copiesHeads() const;

  /// Tiles in a thread's workspace, in floats, one behind the other. Forward:
  /// the queries transposed, scores, the result, running maxima and sums.
  /// Backward: keys and values transposed, probabilities, gradients of scores,
  /// of keys, of values, and the rows' sums of result * gradient; copies of
  /// keys, and of queries and gradients of results: of a tile or of a head.
  llvm::SmallVector<int64_t> workspaceTiles() const;

  /// Forward the row blocks of all heads; backward the key heads, whose
  /// gradients one thread sums: those of each sample or, where a bias has a
  /// gradient, of all samples, one after the other.
  int64_t launchTiles() const;
  /// Rows of a tile, forward.
  int64_t launchTileRows() const {
    return (hasDiagonal() ? 2 : 1) * kAttentionTile;
  }
  int64_t workspaceBytes() const;
};

} // namespace accel

#endif
