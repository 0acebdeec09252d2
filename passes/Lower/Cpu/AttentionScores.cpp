// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product, causality, the scale and the mask.
#include "passes/Lower/Cpu/AttentionScores.h"

using namespace mlir;
using namespace accel;

void AttentionScores::emit(const ColumnTile &tile,
                           const TileSource &keys) const {
  emitProduct(tile, keys);
  if (!code.isScaledFirst()) {
    return;
  }
  code.added && !code.added.hasRepeatedRows() ? emitMask(tile)
                                              : emitRepeatedMask(tile);
}

/// Groups of keys by panels of queries. On the diagonal a panel needs no keys
/// behind its last query, and those in front of its first need no comparison.
void AttentionScores::emitProduct(const ColumnTile &tile,
                                  const TileSource &keys) const {
  code.eachPanel(0, kTileVectors, kTileVectors, [&](const Panel &panel) {
    Value middle = code.chooseOn(tile.isDiagonal,
                                 t.min(panel.lane, tile.columns), tile.columns);
    emitBlocks(tile, keys, t.index(0), middle, panel, /*isCut=*/false);
    if (tile.isDiagonal) {
      Value end = t.min(code.laneOf(panel, panel.count), tile.columns);
      emitBlocks(tile, keys, middle, t.select(tile.isDiagonal, end, middle),
                 panel, /*isCut=*/true);
    }
  });
}

/// The scores of columns `first` to `last` - 1, which the diagonal cuts or not.
void AttentionScores::emitBlocks(const ColumnTile &tile, const TileSource &keys,
                                 Value first, Value last, const Panel &panel,
                                 bool isCut) const {
  int64_t step = code.rowsOfBlock(panel.count);
  code.eachGroup(first, last, step, tiles.columns,
                 [&](int64_t height, Value group) {
                   emitRegisterBlock(
                       t, {height, panel.count, t.index(0),
                           t.index(tiles.depth), tiles.depth % 4 == 0,
                           [&](int64_t r, Value d) {
                             Value row = t.add(t.add(keys.first, group), r);
                             return keys.rows.scalar(row, d);
                           },
                           [&](Value d, int64_t v) {
                             return queries.allLanes(d, code.laneOf(panel, v));
                           },
                           [&](int64_t, int64_t) { return code.zero; },
                           [&](Accumulators &scores) {
                             finish(tile, group, panel, isCut, scores);
                           }});
                 });
}

/// Hides what causality forbids, keeps the scores and their maximum.
void AttentionScores::finish(const ColumnTile &tile, Value group,
                             const Panel &panel, bool isCut,
                             Accumulators &block) const {
  bool checksAll = tiles.causal && !tiles.hasDiagonal();
  for (int64_t v = 0; v < panel.count; ++v) {
    Value lane = code.laneOf(panel, v);
    Value largest;
    for (auto [r, row] : llvm::enumerate(block)) {
      Value column = t.add(group, static_cast<int64_t>(r));
      row[v] = code.prepare(row[v]);
      // Row tile.firstRow + lane sees column tile.first + column.
      Value least = t.sub(column, lane);
      if (checksAll) {
        least = t.sub(t.add(t.add(least, tile.first), -tiles.offset()),
                      tile.firstRow);
      }
      if (checksAll || isCut) {
        row[v] = m.select(t.lanesThat(arith::CmpIPredicate::sge, least), row[v],
                          code.minusInfinity);
      }
      scores.storeAll(row[v], column, lane);
      largest = largest ? m.larger(largest, row[v]) : row[v];
    }
    if (!code.isScaledFirst()) {
      Value before = softmax.load(OnlineSoftmax::TileMaximum, lane);
      softmax.store(m.larger(before, largest), OnlineSoftmax::TileMaximum,
                    lane);
    }
  }
}

/// Scales and masks; blocks of 16 x 16 of the mask are transposed on the way.
void AttentionScores::emitMask(const ColumnTile &tile) const {
  AddedToScores::Rows rows = code.added.getRows(tile.batch, tile.head);
  Value end =
      t.mul(t.div(t.add(tile.columns, kTileLanes - 1), kTileLanes), kTileLanes);
  t.each(t.index(0), end, kTileLanes, [&](Value group) {
    Value firstLane = code.chooseOn(tile.isDiagonal, group, t.index(0));
    t.each(firstLane, t.index(kAttentionTile), kTileLanes, [&](Value lane) {
      TileCode::Values block(kTileLanes);
      for (auto [i, each] : llvm::enumerate(block)) {
        Value row = t.min(t.add(t.add(tile.firstRow, lane), i),
                          t.index(tiles.rows - 1));
        each = code.added.lanes(rows, row, t.add(tile.first, group));
      }
      block = t.transpose(block);
      Value largest = softmax.load(OnlineSoftmax::TileMaximum, lane);
      for (auto [i, each] : llvm::enumerate(block)) {
        Value column = t.add(group, i);
        Value score = scaled(scores.allLanes(column, lane), each);
        if (code.hasTail()) {
          Value exists = t.isLess(column, tile.columns);
          score = t.select(exists, score, code.minusInfinity);
        }
        scores.storeAll(score, column, lane);
        largest = m.larger(score, largest);
      }
      softmax.store(largest, OnlineSoftmax::TileMaximum, lane);
    });
  });
}

/// The same for a mask that is one number per column, or none.
void AttentionScores::emitRepeatedMask(const ColumnTile &tile) const {
  AddedToScores::Rows rows = code.added.getRows(tile.batch, tile.head);
  t.each(t.index(0), tile.columns, 1, [&](Value column) {
    Value added = code.added
                      ? code.added.scalar(rows, t.add(tile.first, column))
                      : code.zero;
    // On the diagonal what lies in front was not computed.
    Value firstLane =
        code.chooseOn(tile.isDiagonal,
                      t.mul(t.div(column, kTileLanes), kTileLanes), t.index(0));
    t.each(firstLane, t.index(kAttentionTile), kTileLanes, [&](Value lane) {
      Value score = scaled(scores.allLanes(column, lane), added);
      scores.storeAll(score, column, lane);
      Value largest = softmax.load(OnlineSoftmax::TileMaximum, lane);
      softmax.store(m.larger(score, largest), OnlineSoftmax::TileMaximum, lane);
    });
  });
}
