// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels of lanes, and for each of them groups of rows.
#include "passes/Lower/Cpu/AttentionGradProducts.h"

using namespace mlir;
using namespace accel;

void AttentionGradProducts::multiply(const GradTile &tile,
                                     const TileSource &source,
                                     const TileRows &transposed, int64_t depth,
                                     FinishScore finish) const {
  // On the diagonal no row in front of a panel sees it.
  code.eachPanel(0, kTileVectors, kTileVectors, [&](const Panel &panel) {
    Value first = code.chooseOn(tile.isDiagonal, t.min(panel.lane, tile.rows),
                                t.index(0));
    int64_t step = code.rowsOfBlock(panel.count);
    code.eachGroup(
        first, tile.rows, step, tiles.rows, [&](int64_t height, Value group) {
          emitRegisterBlock(
              t,
              {height, panel.count, t.index(0), t.index(depth), depth % 4 == 0,
               [&](int64_t r, Value d) {
                 Value row = t.add(t.add(source.first, group), r);
                 return source.rows.scalar(row, d);
               },
               [&](Value d, int64_t v) {
                 return transposed.allLanes(d, code.laneOf(panel, v));
               },
               [&](int64_t, int64_t) { return code.zero; },
               [&](Accumulators &block) {
                 for (auto [r, row] : llvm::enumerate(block)) {
                   for (auto [v, lanes] : llvm::enumerate(row)) {
                     finish(t.add(group, r), code.laneOf(panel, v), lanes);
                   }
                 }
               }});
        });
  });
}

void AttentionGradProducts::addToColumns(const GradTile &tile,
                                         const TileRows &weights,
                                         const TileSource &source,
                                         const TileRows &target,
                                         int64_t depth) const {
  int64_t vectors = target.getColumns() / kTileLanes;
  code.eachPanel(0, vectors, depth / kTileLanes, [&](const Panel &panel) {
    code.eachGroup(
        t.index(0), tile.columns.count, code.rowsOfBlock(panel.count),
        tiles.columns, [&](int64_t height, Value group) {
          emitRegisterBlock(
              t, {height, panel.count,
                  code.chooseOn(tile.isDiagonal, group, t.index(0)), tile.rows,
                  AttentionCode::inFours(tiles.rows, height),
                  [&](int64_t r, Value q) {
                    return weights.scalar(q, t.add(group, r));
                  },
                  [&](Value q, int64_t v) {
                    return source.rows.lanes(t.add(source.first, q),
                                             code.laneOf(panel, v));
                  },
                  [&](int64_t r, int64_t v) {
                    return target.lanes(t.add(group, r), code.laneOf(panel, v));
                  },
                  [&](Accumulators &block) {
                    code.storeBlock(block, target, group, panel);
                  }});
        });
  });
}

void AttentionGradProducts::addToRows(const GradTile &tile,
                                      const TileRows &scores) const {
  const TileSource &keys = tile.columns.keys;
  const TileRows &target = tile.head.queryGradient;
  int64_t vectors = llvm::divideCeil(tiles.depth, kTileLanes);
  code.eachPanel(0, vectors, tiles.depth / kTileLanes, [&](const Panel &panel) {
    code.eachGroup(
        t.index(0), tile.rows, code.rowsOfBlock(panel.count), tiles.rows,
        [&](int64_t height, Value group) {
          Value end = tile.columns.count;
          Value last = code.chooseOn(tile.isDiagonal,
                                     t.min(t.add(group, height), end), end);
          Value line = t.add(tile.firstRow, group);
          emitRegisterBlock(t, {height, panel.count, t.index(0), last,
                                AttentionCode::inFours(tiles.columns, height),
                                [&](int64_t r, Value k) {
                                  return scores.scalar(t.add(group, r), k);
                                },
                                [&](Value k, int64_t v) {
                                  return keys.rows.lanes(t.add(keys.first, k),
                                                         code.laneOf(panel, v));
                                },
                                [&](int64_t r, int64_t v) {
                                  return target.lanes(t.add(line, r),
                                                      code.laneOf(panel, v));
                                },
                                [&](Accumulators &block) {
                                  code.storeBlock(block, target, line, panel);
                                }});
        });
  });
}
