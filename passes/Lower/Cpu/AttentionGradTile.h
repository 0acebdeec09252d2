// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the gradient of attention is cut into: heads, blocks of columns of a key
// head, and tiles of a head's rows by those columns.
#ifndef ACCEL_PASSES_LOWER_CPU_ATTENTIONGRADTILE_H
#define ACCEL_PASSES_LOWER_CPU_ATTENTIONGRADTILE_H

#include "passes/Lower/Cpu/AttentionCode.h"

namespace accel {

/// A head of queries. Its flow is the gradient of its result.
struct GradHead {
  mlir::Value number;  ///< among all
  mlir::Value inGroup; ///< among those that share its key head
  AttentionDropout::Key dropoutKey;
  TileRows queries, flow, lse;
  AddedToScores::Rows added;
  TileRows queryGradient, biasGradient; ///< where there are any
};

/// A block of columns of a key head.
struct GradColumns {
  mlir::Value block; ///< its number
  mlir::Value first; ///< its first column
  mlir::Value count; ///< how many it has
  TileSource keys;
};

/// A block of a head's rows within a block of columns.
struct GradTile {
  const GradHead &head;
  const GradColumns &columns;
  mlir::Value firstRow, rows;
  mlir::Value isDiagonal; ///< whether the diagonal cuts it; null: there is none
  TileSource queries, flow;
};

} // namespace accel

#endif
