// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of attention: lanes run along the keys of a block of 64, whose
// gradients stay in tiles while the blocks of rows that see them pass.
//
//   delta = sum(result * dY) of every row,  dQ = 0
//   for a block of columns:  K' = transpose(K), V' = transpose(V), dK = dV = 0
//     for a block of rows (from the diagonal on):
//       P = exp(scale Q K' - lse)          with dropout D: D P
//       dS = scale P (dY V' - delta)       with dropout D: scale P (D dY V' -
//       delta) dV += P' dY,  dK += dS' Q,  dQ += dS K
//
// Nobody else writes what a unit, a key head of a sample, writes.
#include "passes/Lower/Cpu/AttentionCode.h"

#include <limits>

using namespace mlir;
using namespace accel;

namespace {

/// A block of rows within a block of columns.
struct RowTile {
  Value firstRow, rows;
  Value isDiagonal; ///< whether the diagonal cuts it; null: there is none
};

class AttentionGradKernel : public AttentionCode {
public:
  AttentionGradKernel(KernelEmitter &emitter, AttentionGradOp op)
      : AttentionCode(emitter, op),
        resultGradient(getOperand(op.getResultGradient())),
        result(getOperand(op.getResult())), lse(getLse(op)),
        queryGradient(getResult(0)), keyGradient(getResult(1)),
        valueGradient(getResult(2)) {}

  void emit();

private:
  HeadTensor getLse(AttentionGradOp op);
  void setHead(Value number);
  void copyHead();
  void emitDelta(Value number);
  void emitColumns(Value block);
  void emitHead(Value number, Value block);
  void gatherTile(const RowTile &tile);
  void emitTile(const RowTile &tile);
  /// finish(row of the tile, first column, sums) for all scores of the tile
  /// that are needed: the sums over the columns of `source` and rows of
  /// `transposed`.
  using FinishScore = llvm::function_ref<void(Value, Value, Value)>;
  void emitProduct(const RowTile &tile, const TileSource &source,
                   const TileRows &transposed, int64_t depth,
                   FinishScore finish);
  void emitProbabilities(const RowTile &tile);
  void emitProbabilityRow(const RowTile &tile, Value row);
  Value emitProbability(const RowTile &tile, Value row, int64_t lane,
                        Value logarithm);
  void emitScoreGradient(Value line, Value row, Value lane, Value flow);
  void addToColumns(const RowTile &tile, const TileRows &weights,
                    const TileSource &source, const TileRows &target,
                    int64_t depth);
  void addToRows(const RowTile &tile);
  void writeColumns(const TileRows &from, const HeadTensor &to);

  HeadTensor resultGradient, result, lse;
  HeadTensor queryGradient, keyGradient, valueGradient;
  // Workspace.
  TileRows keys, values, probabilities, gradients, keySums, valueSums, delta;
  // Of the unit, the block of columns and the head.
  Value batch, keyHead, block, firstColumn, columns, head, headInGroup;
  TileRows queryRows, keyRows, valueRows, flowRows, queryTarget, lseRows,
      maskRows;
  TileSource keySource;               ///< of the block of columns
  TileSource querySource, flowSource; ///< of the tile
  TileSource headQueries, headFlow;   ///< of the head, if it is copied
  AttentionDropout::Key dropoutKey;
};

HeadTensor AttentionGradKernel::getLse(AttentionGradOp op) {
  // One row per head.
  int64_t offset = 0;
  Value buffer = emitter.getContiguous(op, op.getLse(), offset);
  return {buffer,
          {offset, {tiles.heads * tiles.rows, tiles.rows, tiles.rows, 1}},
          1,
          tiles.rows};
}

void AttentionGradKernel::emit() {
  int64_t depth = llvm::alignTo(tiles.depth, kTileLanes);
  int64_t width = llvm::alignTo(tiles.width, kTileLanes);
  keys = getTile(0, kTile);
  values = getTile(1, kTile);
  probabilities = getTile(2, kTile);
  gradients = getTile(3, kTile);
  keySums = getTile(4, depth);
  valueSums = getTile(5, width);
  delta = getTile(6, tiles.workspaceTiles()[6]);
  t.each(emitter.getBegin(), emitter.getEnd(), 1, [&](Value unit) {
    batch = t.div(unit, tiles.keyHeads);
    keyHead = t.rem(unit, tiles.keyHeads);
    keyRows = getHead(key, batch, keyHead);
    valueRows = getHead(value, batch, keyHead);
    if (dropout) {
      dropoutKey = dropout->getKey(batch);
    }
    if (tiles.copiesHeads()) {
      copyHead();
    }
    t.each(tiles.group(), 1, [&](Value number) { emitDelta(number); });
    t.each(tiles.columnBlocks(), 1, [&](Value j) { emitColumns(j); });
  });
}

void AttentionGradKernel::setHead(Value number) {
  headInGroup = number;
  head = t.add(t.mul(keyHead, tiles.group()), number);
  queryRows = getHead(query, batch, head);
  flowRows = getHead(resultGradient, batch, head);
  lseRows = getHead(lse, batch, head);
  maskRows = mask ? mask->getRows(batch, head) : TileRows();
  if (queryGradient) {
    queryTarget = getHead(queryGradient, batch, head);
  }
}

/// Of the unit's only head.
void AttentionGradKernel::copyHead() {
  setHead(t.index(0));
  Value rows = t.index(tiles.rows);
  headQueries = gatherRows(query, queryRows, t.index(0), rows, 8);
  headFlow = gatherRows(resultGradient, flowRows, t.index(0), rows, 9);
}

void AttentionGradKernel::emitDelta(Value number) {
  setHead(number);
  TileRows resultRows = getHead(result, batch, head);
  t.each(tiles.rows, 1, [&](Value row) {
    Value sum = zero;
    for (int64_t x = 0; x < tiles.width; x += kTileLanes) {
      sum = m.fma(resultRows.lanes(row, x), flowRows.lanes(row, x), sum);
    }
    delta.storeScalar(t.sumLanes(sum), t.index(0),
                      t.add(t.mul(number, tiles.rows), row));
  });
  if (queryGradient) {
    clear(queryTarget, t.index(tiles.rows));
  }
}

void AttentionGradKernel::emitColumns(Value number) {
  block = number;
  firstColumn = t.mul(block, kTile);
  columns = columnsOf(block);
  packTransposed(keyRows, firstColumn, tiles.columns, keys);
  packTransposed(valueRows, firstColumn, tiles.columns, values);
  keySource = gatherRows(key, keyRows, firstColumn, columns, 7);
  clear(keySums, t.index(kTile));
  clear(valueSums, t.index(kTile));
  t.each(tiles.group(), 1, [&](Value number) { emitHead(number, block); });
  writeColumns(keySums, keyGradient);
  writeColumns(valueSums, valueGradient);
}

void AttentionGradKernel::emitHead(Value number, Value block) {
  setHead(number);
  Value first = t.index(0);
  if (tiles.hasDiagonal()) {
    first = block;
  } else if (tiles.causal) {
    // The first row that sees the block's first column.
    Value row = t.max(t.add(firstColumn, -tiles.offset()), t.index(0));
    first = t.div(row, kTile);
  }
  t.each(first, t.index(tiles.rowBlocks()), 1, [&](Value i) {
    Value isDiagonal = tiles.hasDiagonal() ? t.isEqual(i, block) : Value();
    emitTile({t.mul(i, kTile), rowsOf(i), isDiagonal});
  });
}

/// The rows of a tile, in the copy of their head or in one of their own.
void AttentionGradKernel::gatherTile(const RowTile &tile) {
  if (tiles.copiesHeads()) {
    querySource = headQueries;
    querySource.first = t.add(headQueries.first, tile.firstRow);
    flowSource = headFlow;
    flowSource.first = t.add(headFlow.first, tile.firstRow);
    return;
  }
  querySource = gatherRows(query, queryRows, tile.firstRow, tile.rows, 8);
  flowSource =
      gatherRows(resultGradient, flowRows, tile.firstRow, tile.rows, 9);
}

void AttentionGradKernel::emitTile(const RowTile &tile) {
  gatherTile(tile);
  emitProduct(tile, querySource, keys, tiles.depth,
              [&](Value row, Value lane, Value score) {
                probabilities.storeAll(score, row, lane);
              });
  emitProbabilities(tile);
  emitProduct(tile, flowSource, values, tiles.width,
              [&](Value row, Value lane, Value flow) {
                emitScoreGradient(t.add(tile.firstRow, row), row, lane, flow);
              });
  addToColumns(tile, probabilities, flowSource, valueSums, tiles.width);
  addToColumns(tile, gradients, querySource, keySums, tiles.depth);
  if (queryGradient) {
    addToRows(tile);
  }
}

void AttentionGradKernel::emitProduct(const RowTile &tile,
                                      const TileSource &source,
                                      const TileRows &transposed, int64_t depth,
                                      FinishScore finish) {
  // On the diagonal no row in front of a panel sees it.
  eachPanel(0, kTileVectors, kTileVectors, [&](const Panel &panel) {
    Value first =
        chooseOn(tile.isDiagonal, t.min(panel.lane, tile.rows), t.index(0));
    int64_t step = rowsOfBlock(panel.count);
    eachGroup(first, tile.rows, step, tiles.rows,
              [&](int64_t height, Value group) {
                emitRegisterBlock(
                    t, {height, panel.count, t.index(0), t.index(depth),
                        depth % 4 == 0,
                        [&](int64_t r, Value d) {
                          Value row = t.add(t.add(source.first, group), r);
                          return source.rows.scalar(row, d);
                        },
                        [&](Value d, int64_t v) {
                          return transposed.allLanes(d, laneOf(panel, v));
                        },
                        [&](int64_t, int64_t) { return zero; },
                        [&](Accumulators &block) {
                          for (auto [r, row] : llvm::enumerate(block)) {
                            for (auto [v, lanes] : llvm::enumerate(row)) {
                              finish(t.add(group, r), laneOf(panel, v), lanes);
                            }
                          }
                        }});
              });
  });
}

void AttentionGradKernel::emitProbabilities(const RowTile &tile) {
  t.each(t.index(0), tile.rows, 1,
         [&](Value row) { emitProbabilityRow(tile, row); });
}

/// Probabilities of a row of the tile; the sign of a dropped one is negative
/// until its gradient is known.
void AttentionGradKernel::emitProbabilityRow(const RowTile &tile, Value row) {
  Value line = t.add(tile.firstRow, row);
  Value logarithm = t.splat(lseRows.scalar(t.index(0), line));
  if (mayBeEmpty()) {
    // A row without columns has no probabilities.
    Value infinity = m.number(std::numeric_limits<double>::infinity());
    logarithm =
        m.select(m.isEqual(logarithm, minusInfinity), infinity, logarithm);
  }
  std::array<Value, 4> words;
  if (dropout) {
    words = dropout->wordsAlongColumns(dropoutKey, head, line, block);
  }
  // On the diagonal what lies behind was not computed.
  Value end = chooseOn(tile.isDiagonal, t.add(row, 1), t.index(kTile));
  for (int64_t v = 0; v < kTileVectors; ++v) {
    int64_t lane = v * kTileLanes;
    Value isSeen = v == 0 ? t.constantTrue() : t.isLess(t.index(lane), end);
    t.onlyIf(isSeen, [&] {
      Value p = emitProbability(tile, row, lane, logarithm);
      p = dropout ? m.select(dropout->isDropped(words[v]), m.neg(p), p) : p;
      probabilities.store(p, row, lane);
    });
  }
}

/// Those of sixteen columns from `lane` on; zero where causality forbids them.
Value AttentionGradKernel::emitProbability(const RowTile &tile, Value row,
                                           int64_t lane, Value logarithm) {
  Value score = probabilities.lanes(row, lane);
  Value line = t.add(tile.firstRow, row);
  Value p;
  if (mask) {
    Value added = mask->lanes(maskRows, line, t.add(firstColumn, lane));
    p = m.exp(m.sub(m.fma(score, scaleLanes, added), logarithm));
  } else {
    p = m.exp(m.fma(score, scaleLanes, m.neg(logarithm)));
  }
  if (!tiles.causal) {
    return p;
  }
  Value last = tile.isDiagonal
                   ? t.select(tile.isDiagonal, t.sub(row, t.index(lane)),
                              t.index(kTileLanes))
                   : t.sub(t.add(line, tiles.offset() - lane), firstColumn);
  return m.select(t.lanesThat(arith::CmpIPredicate::sle, last), p, zero);
}

/// `flow`: the gradient of the probabilities.
void AttentionGradKernel::emitScoreGradient(Value line, Value row, Value lane,
                                            Value flow) {
  Value p = probabilities.allLanes(row, lane);
  Value number = t.add(t.mul(headInGroup, tiles.rows), line);
  Value mean = t.splat(delta.scalar(t.index(0), number));
  if (dropout) {
    Value dropped = m.isNegative(p);
    Value keep = m.number(keepFactor());
    Value kept = m.select(dropped, zero, m.mul(p, keep));
    probabilities.storeAll(kept, row, lane);
    p = m.abs(p);
    flow = m.select(dropped, zero, m.mul(flow, keep));
  }
  Value gradient = m.mul(m.mul(p, scaleLanes), m.sub(flow, mean));
  gradients.storeAll(gradient, row, lane);
}

/// target[column] += sum over the rows of weights[row][column] source[row]
void AttentionGradKernel::addToColumns(const RowTile &tile,
                                       const TileRows &weights,
                                       const TileSource &source,
                                       const TileRows &target, int64_t depth) {
  int64_t vectors = target.getColumns() / kTileLanes;
  eachPanel(0, vectors, depth / kTileLanes, [&](const Panel &panel) {
    eachGroup(t.index(0), columns, rowsOfBlock(panel.count), tiles.columns,
              [&](int64_t height, Value group) {
                emitRegisterBlock(
                    t, {height, panel.count,
                        chooseOn(tile.isDiagonal, group, t.index(0)), tile.rows,
                        inFours(tiles.rows, height),
                        [&](int64_t r, Value q) {
                          return weights.scalar(q, t.add(group, r));
                        },
                        [&](Value q, int64_t v) {
                          return source.rows.lanes(t.add(source.first, q),
                                                   laneOf(panel, v));
                        },
                        [&](int64_t r, int64_t v) {
                          return target.lanes(t.add(group, r),
                                              laneOf(panel, v));
                        },
                        [&](Accumulators &block) {
                          storeBlock(block, target, group, panel);
                        }});
              });
  });
}

/// dQ[row] += sum over the columns of dS[row][column] K[column]
void AttentionGradKernel::addToRows(const RowTile &tile) {
  int64_t vectors = llvm::divideCeil(tiles.depth, kTileLanes);
  eachPanel(0, vectors, tiles.depth / kTileLanes, [&](const Panel &panel) {
    eachGroup(
        t.index(0), tile.rows, rowsOfBlock(panel.count), tiles.rows,
        [&](int64_t height, Value group) {
          Value last = chooseOn(tile.isDiagonal,
                                t.min(t.add(group, height), columns), columns);
          Value line = t.add(tile.firstRow, group);
          emitRegisterBlock(
              t, {height, panel.count, t.index(0), last,
                  inFours(tiles.columns, height),
                  [&](int64_t r, Value k) {
                    return gradients.scalar(t.add(group, r), k);
                  },
                  [&](Value k, int64_t v) {
                    return keySource.rows.lanes(t.add(keySource.first, k),
                                                laneOf(panel, v));
                  },
                  [&](int64_t r, int64_t v) {
                    return queryTarget.lanes(t.add(line, r), laneOf(panel, v));
                  },
                  [&](Accumulators &block) {
                    storeBlock(block, queryTarget, line, panel);
                  }});
        });
  });
}

void AttentionGradKernel::writeColumns(const TileRows &from,
                                       const HeadTensor &to) {
  if (!to) {
    return;
  }
  TileRows target = getHead(to, batch, keyHead);
  t.each(t.index(0), columns, 1, [&](Value row) {
    Value line = t.add(firstColumn, row);
    for (int64_t x = 0; x < target.getColumns(); x += kTileLanes) {
      target.store(from.lanes(row, x), line, x);
    }
  });
}

} // namespace

void accel::emitAttentionGrad(KernelEmitter &emitter, AttentionGradOp op) {
  AttentionGradKernel kernel(emitter, op);
  if (!emitter.hasFailed()) {
    kernel.emit();
  }
}
