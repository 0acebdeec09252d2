// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes, tiles and workspace of attention kernels.
#include "passes/Target/Cpu/AttentionTiles.h"

#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace accel;

template <typename OpTy> static AttentionTiles getTiles(OpTy op) {
  ArrayRef<int64_t> query = shapeOf(op.getQuery());
  ArrayRef<int64_t> key = shapeOf(op.getKey());
  return {query[0],
          query[1],
          key[1],
          query[2],
          key[2],
          query[3],
          shapeOf(op.getValue())[3],
          op.getCausal(),
          std::is_same_v<OpTy, AttentionGradOp>,
          !elementTypeOf(op.getQuery()).isF32()};
}

AttentionTiles AttentionTiles::get(Operation *op) {
  auto forward = dyn_cast<AttentionOp>(op);
  return forward ? getTiles(forward) : getTiles(cast<AttentionGradOp>(op));
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
  return batch * (isGradient ? keyHeads : heads * launchTilesPerHead());
}

int64_t AttentionTiles::workspaceBytes() const {
  SmallVector<int64_t> tiles = workspaceTiles();
  return 4 * std::accumulate(tiles.begin(), tiles.end(), int64_t(0));
}

bool accel::isTileOperand(Value value, Value root) {
  std::optional<StridedView> view = getStridedView(value, root);
  return view && (view->strides.back() == 1 || shapeOf(value).back() == 1);
}
