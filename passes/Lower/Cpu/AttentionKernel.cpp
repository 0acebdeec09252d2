// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: lanes run along the queries of a block of 64, so that the softmax
// needs no sum over lanes, and keys and values are read where they lie.
//
//   for a block of rows:  Q' = transpose(Q), m = -inf, l = 0, acc = 0
//     for a block of columns (up to the diagonal):
//       S' = K Q'                          scores, transposed
//       m' = max(m, max S'),  a = exp(m - m'),  l = a l,  acc = a acc
//       P' = exp(S' - m'),  l += P',  dropped elements of P' become zero
//       acc += (P')' V
//     result = acc / l,  lse = m + log l
//
// The scale is applied to the product, inside the exponent: backward, which
// transposes the keys instead, sees the same scores bit by bit.
#include "passes/Lower/Cpu/AttentionCode.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace accel;

namespace {

/// A block of columns within a block of rows.
struct ColumnTile {
  Value block;      ///< its number
  Value first;      ///< its first column
  Value columns;    ///< how many it has
  Value isDiagonal; ///< whether the diagonal cuts it; null: there is none
};

class AttentionKernel : public AttentionCode {
public:
  AttentionKernel(KernelEmitter &emitter, AttentionOp op)
      : AttentionCode(emitter, op), result(getResult(0)), lse(getRowBuffer(1)) {
  }

  void emit();

private:
  // Of a unit.
  void emitRows(Value block);
  void emitTiles(Value block);
  void emitTile(const ColumnTile &tile);
  void emitScores(const ColumnTile &tile);
  void emitScoreBlocks(const ColumnTile &tile, Value first, Value last,
                       const Panel &panel, bool isCut);
  void finishScores(const ColumnTile &tile, Value group, const Panel &panel,
                    bool isCut, Accumulators &block);
  void emitMask(const ColumnTile &tile);
  void emitRepeatedMask(const ColumnTile &tile);
  Value emitShift(Value maximum);
  void emitMaximum();
  void emitProbabilities(const ColumnTile &tile);
  Value emitProbabilityRow(const ColumnTile &tile, Value lane, Value c,
                           Value shift, Value total);
  Value emitProbability(const ColumnTile &tile, Value score, Value shift,
                        Value row);
  void emitResult(const ColumnTile &tile);
  void finish();

  HeadTensor result;
  Value lse;
  // Workspace.
  TileRows queries, scores, sums, rowState;
  enum State : int64_t { Maximum, Sum, TileMaximum, Factor };
  // Of the unit and the block of rows.
  Value batch, head, firstRow, rows;
  TileRows keyRows, valueRows;
  TileSource keys, values; ///< of the tile
  AttentionDropout::Key dropoutKey;

  /// A scale that is not positive would turn -inf around: it was applied
  /// before.
  Value scaled(Value score, Value added) const {
    return scale > 0.0 ? m.fma(score, scaleLanes, added) : m.add(score, added);
  }
  bool hasTail() const { return tiles.columns % kTile != 0; }
  Value load(State state, Value lane) const {
    return rowState.allLanes(t.index(state), lane);
  }
  void store(Value lanes, State state, Value lane) const {
    rowState.storeAll(lanes, t.index(state), lane);
  }
};

void AttentionKernel::emit() {
  queries = getTile(0, kTile);
  scores = getTile(1, kTile);
  sums = getTile(2, llvm::alignTo(tiles.width, kTileLanes));
  rowState = getTile(3, kTile);
  int64_t units = tiles.unitsPerHead();
  t.each(emitter.getBegin(), emitter.getEnd(), 1, [&](Value unit) {
    Value line = t.div(unit, units);
    Value number = t.rem(unit, units);
    batch = t.div(line, tiles.heads);
    head = t.rem(line, tiles.heads);
    Value keyHead = t.div(head, tiles.group());
    keyRows = getHead(key, batch, keyHead);
    valueRows = getHead(value, batch, keyHead);
    if (dropout) {
      dropoutKey = dropout->getKey(batch);
    }
    if (!tiles.hasDiagonal()) {
      return emitRows(number);
    }
    // Blocks p and n - 1 - p: every unit has as much to do.
    Value other = t.sub(t.index(tiles.rowBlocks() - 1), number);
    Value count = t.select(t.isEqual(number, other), t.index(1), t.index(2));
    t.each(t.index(0), count, 1, [&](Value i) {
      emitRows(t.add(number, t.mul(i, t.sub(other, number))));
    });
  });
}

void AttentionKernel::emitRows(Value block) {
  firstRow = t.mul(block, kTile);
  rows = rowsOf(block);
  packTransposed(getHead(query, batch, head), firstRow, tiles.rows, queries);
  t.each(kTile, kTileLanes, [&](Value lane) {
    store(minusInfinity, Maximum, lane);
    store(zero, Sum, lane);
  });
  clear(sums, t.index(kTile));
  emitTiles(block);
  finish();
}

void AttentionKernel::emitTiles(Value block) {
  Value last = t.index(tiles.columnBlocks());
  if (tiles.hasDiagonal()) {
    last = t.add(block, 1);
  } else if (tiles.causal) {
    // The last row of the block sees the most.
    Value seen = t.max(t.add(firstRow, kTile + tiles.offset()), t.index(0));
    last = t.min(last, t.div(t.add(seen, kTile - 1), kTile));
  }
  t.each(t.index(0), last, 1, [&](Value j) {
    Value isDiagonal = tiles.hasDiagonal() ? t.isEqual(j, block) : Value();
    emitTile({j, t.mul(j, kTile), columnsOf(j), isDiagonal});
  });
}

void AttentionKernel::emitTile(const ColumnTile &tile) {
  keys = gatherRows(key, keyRows, tile.first, tile.columns, 4);
  values = gatherRows(value, valueRows, tile.first, tile.columns, 5);
  t.each(kTile, kTileLanes,
         [&](Value lane) { store(minusInfinity, TileMaximum, lane); });
  emitScores(tile);
  if (isScaledFirst()) {
    mask && !mask->hasRepeatedRows() ? emitMask(tile) : emitRepeatedMask(tile);
  }
  emitMaximum();
  emitProbabilities(tile);
  emitResult(tile);
}

/// Groups of keys by panels of queries. On the diagonal a panel needs no keys
/// behind its last query, and those in front of its first need no comparison.
void AttentionKernel::emitScores(const ColumnTile &tile) {
  eachPanel(0, kTileVectors, kTileVectors, [&](const Panel &panel) {
    Value middle = chooseOn(tile.isDiagonal, t.min(panel.lane, tile.columns),
                            tile.columns);
    emitScoreBlocks(tile, t.index(0), middle, panel, /*isCut=*/false);
    if (tile.isDiagonal) {
      Value end = t.min(laneOf(panel, panel.count), tile.columns);
      emitScoreBlocks(tile, middle, t.select(tile.isDiagonal, end, middle),
                      panel, /*isCut=*/true);
    }
  });
}

/// The scores of columns `first` to `last` - 1, which the diagonal cuts or not.
void AttentionKernel::emitScoreBlocks(const ColumnTile &tile, Value first,
                                      Value last, const Panel &panel,
                                      bool isCut) {
  int64_t step = rowsOfBlock(panel.count);
  eachGroup(first, last, step, tiles.columns, [&](int64_t height, Value group) {
    emitRegisterBlock(t, {height, panel.count, t.index(0), t.index(tiles.depth),
                          tiles.depth % 4 == 0,
                          [&](int64_t r, Value d) {
                            Value row = t.add(t.add(keys.first, group), r);
                            return keys.rows.scalar(row, d);
                          },
                          [&](Value d, int64_t v) {
                            return queries.allLanes(d, laneOf(panel, v));
                          },
                          [&](int64_t, int64_t) { return zero; },
                          [&](Accumulators &scores) {
                            finishScores(tile, group, panel, isCut, scores);
                          }});
  });
}

/// Hides what causality forbids, keeps the scores and their maximum.
void AttentionKernel::finishScores(const ColumnTile &tile, Value group,
                                   const Panel &panel, bool isCut,
                                   Accumulators &block) {
  bool checksAll = tiles.causal && !tiles.hasDiagonal();
  for (int64_t v = 0; v < panel.count; ++v) {
    Value lane = laneOf(panel, v);
    Value largest;
    for (auto [r, row] : llvm::enumerate(block)) {
      Value column = t.add(group, static_cast<int64_t>(r));
      row[v] = scale > 0.0 ? row[v] : m.mul(row[v], scaleLanes);
      // Row firstRow + lane sees column tile.first + column.
      Value least = t.sub(column, lane);
      if (checksAll) {
        least =
            t.sub(t.add(t.add(least, tile.first), -tiles.offset()), firstRow);
      }
      if (checksAll || isCut) {
        row[v] = m.select(t.lanesThat(arith::CmpIPredicate::sge, least), row[v],
                          minusInfinity);
      }
      scores.storeAll(row[v], column, lane);
      largest = largest ? m.larger(largest, row[v]) : row[v];
    }
    if (!isScaledFirst()) {
      Value row = t.index(TileMaximum);
      rowState.storeAll(m.larger(rowState.allLanes(row, lane), largest), row,
                        lane);
    }
  }
}

/// Scales and masks; blocks of 16 x 16 of the mask are transposed on the way.
void AttentionKernel::emitMask(const ColumnTile &tile) {
  TileRows maskRows = mask->getRows(batch, head);
  Value end =
      t.mul(t.div(t.add(tile.columns, kTileLanes - 1), kTileLanes), kTileLanes);
  t.each(t.index(0), end, kTileLanes, [&](Value group) {
    Value firstLane = chooseOn(tile.isDiagonal, group, t.index(0));
    t.each(firstLane, t.index(kTile), kTileLanes, [&](Value lane) {
      Values block(kTileLanes);
      for (auto [i, each] : llvm::enumerate(block)) {
        Value row =
            t.min(t.add(t.add(firstRow, lane), i), t.index(tiles.rows - 1));
        each = mask->lanes(maskRows, row, t.add(tile.first, group));
      }
      block = t.transpose(block);
      Value largest = rowState.allLanes(t.index(TileMaximum), lane);
      for (auto [i, each] : llvm::enumerate(block)) {
        Value column = t.add(group, i);
        Value score = scaled(scores.allLanes(column, lane), each);
        if (hasTail()) {
          Value exists = t.isLess(column, tile.columns);
          score = t.select(exists, score, minusInfinity);
        }
        scores.storeAll(score, column, lane);
        largest = m.larger(score, largest);
      }
      rowState.storeAll(largest, t.index(TileMaximum), lane);
    });
  });
}

/// The same for a mask that is one number per column, or none.
void AttentionKernel::emitRepeatedMask(const ColumnTile &tile) {
  TileRows maskRows = mask ? mask->getRows(batch, head) : TileRows();
  t.each(t.index(0), tile.columns, 1, [&](Value column) {
    Value added =
        mask ? mask->scalar(maskRows, t.add(tile.first, column)) : zero;
    // On the diagonal what lies in front was not computed.
    Value firstLane =
        chooseOn(tile.isDiagonal, t.mul(t.div(column, kTileLanes), kTileLanes),
                 t.index(0));
    t.each(firstLane, t.index(kTile), kTileLanes, [&](Value lane) {
      Value score = scaled(scores.allLanes(column, lane), added);
      scores.storeAll(score, column, lane);
      Value largest = rowState.allLanes(t.index(TileMaximum), lane);
      rowState.storeAll(m.larger(score, largest), t.index(TileMaximum), lane);
    });
  });
}

/// What exponents are shifted by: a row that has seen nothing yet keeps -inf,
/// and a harmless shift of 0.
Value AttentionKernel::emitShift(Value maximum) {
  return mayBeEmpty()
             ? m.select(m.isEqual(maximum, minusInfinity), zero, maximum)
             : maximum;
}

/// The new maximum, and the factor for what was summed so far.
void AttentionKernel::emitMaximum() {
  t.each(kTile, kTileLanes, [&](Value lane) {
    Value before = load(Maximum, lane);
    Value tile = load(TileMaximum, lane);
    tile = isScaledFirst() ? tile : m.mul(tile, scaleLanes);
    Value now = m.larger(tile, before);
    Value factor = m.exp(m.sub(before, emitShift(now)));
    store(now, Maximum, lane);
    store(factor, Factor, lane);
    store(m.mul(load(Sum, lane), factor), Sum, lane);
  });
}

Value AttentionKernel::emitProbability(const ColumnTile &tile, Value score,
                                       Value shift, Value row) {
  Value exponent = isScaledFirst() ? m.sub(score, shift)
                                   : m.fma(score, scaleLanes, m.neg(shift));
  Value probability = m.exp(exponent);
  // Rows beyond the last hold what the tile before left.
  return hasTail() ? t.select(t.isLess(row, tile.columns), probability, zero)
                   : probability;
}

void AttentionKernel::emitProbabilities(const ColumnTile &tile) {
  Value count = t.min(tile.columns, t.index(kTileLanes));
  t.each(kTile, kTileLanes, [&](Value lane) {
    Value shift = emitShift(load(Maximum, lane));
    Values sum =
        t.loop(t.index(0), count, 1, {load(Sum, lane)},
               [&](Value c, const Values &total) -> Values {
                 return {emitProbabilityRow(tile, lane, c, shift, total[0])};
               });
    store(sum[0], Sum, lane);
  });
}

/// Rows c, 16 + c, 32 + c and 48 + c of the tile together: they share a counter
/// of the dropout. Returns their sum and `total`.
Value AttentionKernel::emitProbabilityRow(const ColumnTile &tile, Value lane,
                                          Value c, Value shift, Value total) {
  std::array<Value, 4> words;
  if (dropout) {
    words = dropout->wordsAlongRows(dropoutKey, head, t.add(firstRow, lane),
                                    tile.block, c);
  }
  // On the diagonal what lies behind was not computed.
  Value last =
      chooseOn(tile.isDiagonal, t.add(lane, kTileLanes), t.index(kTile));
  for (int64_t w = 0; w < kTileVectors; ++w) {
    Value row = t.add(c, w * kTileLanes);
    Value isSeen =
        w == 0 ? t.constantTrue() : t.isLess(t.index(w * kTileLanes), last);
    total = t.onlyIf(isSeen, {total}, [&]() -> Values {
      Value score = scores.allLanes(row, lane);
      Value probability = emitProbability(tile, score, shift, row);
      Value sum = m.add(total, probability);
      if (dropout) {
        probability = m.select(dropout->isDropped(words[w]), zero, probability);
      }
      scores.storeAll(probability, row, lane);
      return {sum};
    })[0];
  }
  return total;
}

/// Adds the tile's part of the result to what is there times its factor.
void AttentionKernel::emitResult(const ColumnTile &tile) {
  int64_t vectors = sums.getColumns() / kTileLanes;
  eachPanel(0, vectors, tiles.width / kTileLanes, [&](const Panel &panel) {
    int64_t step = rowsOfBlock(panel.count);
    eachGroup(t.index(0), rows, step, tiles.rows,
              [&](int64_t height, Value group) {
                Value last = chooseOn(tile.isDiagonal,
                                      t.min(t.add(group, height), tile.columns),
                                      tile.columns);
                emitRegisterBlock(
                    t, {height, panel.count, t.index(0), last,
                        inFours(tiles.columns, height),
                        [&](int64_t r, Value k) {
                          return scores.scalar(k, t.add(group, r));
                        },
                        [&](Value k, int64_t v) {
                          return values.rows.lanes(t.add(values.first, k),
                                                   laneOf(panel, v));
                        },
                        [&](int64_t r, int64_t v) {
                          Value row = t.add(group, r);
                          Value factor = rowState.scalar(t.index(Factor), row);
                          return m.mul(sums.allLanes(row, laneOf(panel, v)),
                                       t.splat(factor));
                        },
                        [&](Accumulators &block) {
                          storeBlock(block, sums, group, panel);
                        }});
              });
  });
}

/// result = acc / l, lse = m + log l; zeros and -inf for a row without columns.
void AttentionKernel::finish() {
  t.each(kTile, kTileLanes, [&](Value lane) {
    Value sum = load(Sum, lane);
    Value inverse = m.div(m.number(keepFactor()), sum);
    Value logarithm = m.add(load(Maximum, lane), m.log(sum));
    if (mayBeEmpty()) {
      Value isEmpty = m.isEqual(sum, zero);
      inverse = m.select(isEmpty, zero, inverse);
      logarithm = m.select(isEmpty, minusInfinity, logarithm);
    }
    store(inverse, Factor, lane);
    store(logarithm, Sum, lane);
  });
  TileRows target = result ? getHead(result, batch, head) : TileRows();
  Value line = t.mul(t.add(t.mul(batch, tiles.heads), head), tiles.rows);
  TileRows lines =
      lse ? TileRows(t, lse, line, 1, tiles.rows, tiles.rows) : TileRows();
  t.each(t.index(0), rows, 1, [&](Value row) {
    Value to = t.add(firstRow, row);
    if (result) {
      Value factor = t.splat(rowState.scalar(t.index(Factor), row));
      for (int64_t x = 0; x < tiles.width; x += kTileLanes) {
        target.store(m.mul(sums.lanes(row, x), factor), to, x);
      }
    }
    if (lse) {
      lines.storeScalar(rowState.scalar(t.index(Sum), row), t.index(0), to);
    }
  });
}

} // namespace

void accel::emitAttention(KernelEmitter &emitter, AttentionOp op) {
  AttentionKernel kernel(emitter, op);
  if (!emitter.hasFailed()) {
    kernel.emit();
  }
}
