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
#include "passes/Lower/Cpu/AttentionScores.h"

#include <optional>

using namespace mlir;
using namespace accel;

namespace {

class AttentionKernel : public AttentionCode {
public:
  AttentionKernel(KernelEmitter &emitter, AttentionOp op)
      : AttentionCode(emitter, op), result(getResult(0)), lse(getRowBuffer(1)) {
  }

  void emit();

private:
  // Of a tile.
  void emitRows(Value block);
  void emitTiles(Value block);
  void emitTile(const ColumnTile &tile);
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
  TileRows queries, scores, sums;
  std::optional<OnlineSoftmax> softmax;
  // Of the tile and the block of rows.
  Value batch, head, firstRow, rows;
  TileRows keyRows, valueRows;
  TileSource keys, values; ///< of the tile
  AttentionDropout::Key dropoutKey;
};

void AttentionKernel::emit() {
  queries = getTile(0, kAttentionTile);
  scores = getTile(1, kAttentionTile);
  sums = getTile(2, llvm::alignTo(tiles.width, kTileLanes));
  softmax.emplace(*this, getTile(3, kAttentionTile));
  int64_t perHead = tiles.launchTilesPerHead();
  t.each(emitter.getBegin(), emitter.getEnd(), 1, [&](Value tile) {
    Value line = t.div(tile, perHead);
    Value number = t.rem(tile, perHead);
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
    // Blocks p and n - 1 - p: every tile has as much to do.
    Value other = t.sub(t.index(tiles.rowBlocks() - 1), number);
    Value count = t.select(t.isEqual(number, other), t.index(1), t.index(2));
    t.each(t.index(0), count, 1, [&](Value i) {
      emitRows(t.add(number, t.mul(i, t.sub(other, number))));
    });
  });
}

void AttentionKernel::emitRows(Value block) {
  firstRow = t.mul(block, kAttentionTile);
  rows = rowsOf(block);
  packTransposed(getHead(query, batch, head), firstRow, tiles.rows, queries);
  softmax->begin();
  clear(sums, t.index(kAttentionTile));
  emitTiles(block);
  finish();
}

void AttentionKernel::emitTiles(Value block) {
  Value last = t.index(tiles.columnBlocks());
  if (tiles.hasDiagonal()) {
    last = t.add(block, 1);
  } else if (tiles.causal) {
    // The last row of the block sees the most.
    Value seen =
        t.max(t.add(firstRow, kAttentionTile + tiles.offset()), t.index(0));
    last = t.min(last, t.div(t.add(seen, kAttentionTile - 1), kAttentionTile));
  }
  t.each(t.index(0), last, 1, [&](Value j) {
    Value isDiagonal = tiles.hasDiagonal() ? t.isEqual(j, block) : Value();
    emitTile({batch, head, firstRow, j, t.mul(j, kAttentionTile), columnsOf(j),
              isDiagonal});
  });
}

void AttentionKernel::emitTile(const ColumnTile &tile) {
  keys = gatherRows(key, keyRows, tile.first, tile.columns, 4);
  values = gatherRows(value, valueRows, tile.first, tile.columns, 5);
  softmax->beginTile();
  AttentionScores(*this, queries, scores, *softmax).emit(tile, keys);
  softmax->endTile();
  emitProbabilities(tile);
  emitResult(tile);
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
  t.each(kAttentionTile, kTileLanes, [&](Value lane) {
    Value shift = softmax->getShift(lane);
    Values sum =
        t.loop(t.index(0), count, 1, {softmax->load(OnlineSoftmax::Sum, lane)},
               [&](Value c, const Values &total) -> Values {
                 return {emitProbabilityRow(tile, lane, c, shift, total[0])};
               });
    softmax->store(sum[0], OnlineSoftmax::Sum, lane);
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
  Value last = chooseOn(tile.isDiagonal, t.add(lane, kTileLanes),
                        t.index(kAttentionTile));
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
    eachGroup(
        t.index(0), rows, step, tiles.rows, [&](int64_t height, Value group) {
          Value last =
              chooseOn(tile.isDiagonal,
                       t.min(t.add(group, height), tile.columns), tile.columns);
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
                    Value factor = softmax->scalar(OnlineSoftmax::Factor, row);
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
  softmax->finish();
  TileRows target = result ? getHead(result, batch, head) : TileRows();
  Value line = t.mul(t.add(t.mul(batch, tiles.heads), head), tiles.rows);
  TileRows lines =
      lse ? TileRows(t, lse, line, 1, tiles.rows, tiles.rows) : TileRows();
  t.each(t.index(0), rows, 1, [&](Value row) {
    Value to = t.add(firstRow, row);
    if (result) {
      Value factor = t.splat(softmax->scalar(OnlineSoftmax::Factor, row));
      for (int64_t x = 0; x < tiles.width; x += kTileLanes) {
        target.store(m.mul(sums.lanes(row, x), factor), to, x);
      }
    }
    if (lse) {
      lines.storeScalar(softmax->scalar(OnlineSoftmax::Sum, row), t.index(0),
                        to);
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
