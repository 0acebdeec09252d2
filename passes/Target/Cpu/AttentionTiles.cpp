// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes, tiles and workspace of attention kernels.
#include "passes/Target/Cpu/AttentionTiles.h"

#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace accel;

AttentionTiles AttentionTiles::get(Operation *op) {
  auto forward = dyn_cast<AttentionOp>(op);
  Value query =
      forward ? forward.getQuery() : cast<AttentionGradOp>(op).getQuery();
  return {AttentionSizes::get(op), !elementTypeOf(query).isF32()};
}

int64_t AttentionTiles::rowBlocks() const {
  return llvm::divideCeil(rows, kAttentionTile);
}

int64_t AttentionTiles::columnBlocks() const {
  return llvm::divideCeil(columns, kAttentionTile);
}

int64_t AttentionTiles::launchTilesPerHead() const {
  return hasDiagonal() ? llvm::divideCeil(rowBlocks(), 2) : rowBlocks();
}

/// Half of a second cache of 2 MiB at most.
static constexpr int64_t kMostCopiedFloats = int64_t(1) << 18;

bool AttentionTiles::copiesHeads() const {
  int64_t columns =
      llvm::alignTo(depth, kTileLanes) + llvm::alignTo(width, kTileLanes);
  return group() == 1 && rows * columns <= kMostCopiedFloats;
}

SmallVector<int64_t> AttentionTiles::workspaceTiles() const {
  int64_t d = llvm::alignTo(depth, kTileLanes);
  int64_t e = llvm::alignTo(width, kTileLanes);
  constexpr int64_t scores = kAttentionTile * kAttentionTile;
  if (!isGradient) {
    return {d * kAttentionTile, scores,
            kAttentionTile * e, 4 * kAttentionTile,
            kAttentionTile * d, kAttentionTile * e};
  }
  int64_t copied = copiesHeads() ? rows : kAttentionTile;
  return {d * kAttentionTile,
          e * kAttentionTile,
          scores,
          scores,
          kAttentionTile * d,
          kAttentionTile * e,
          static_cast<int64_t>(llvm::alignTo(group() * rows, kTileLanes)),
          kAttentionTile * d,
          copied * d,
          copied * e,
          isNarrow ? group() * rows * d : 0};
}

int64_t AttentionTiles::launchTiles() const {
  return isGradient ? (sumsBias ? 1 : batch) * keyHeads
                    : batch * heads * launchTilesPerHead();
}

int64_t AttentionTiles::workspaceBytes() const {
  SmallVector<int64_t> tiles = workspaceTiles();
  return 4 * std::accumulate(tiles.begin(), tiles.end(), int64_t(0));
}
