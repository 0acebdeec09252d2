// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of attention: lanes run along the keys of a block of 64, whose
// gradients stay in tiles while the blocks of rows that see them pass.
//
//   delta = sum(result * dY) of every row,  dQ = 0
//   for a block of columns:  K' = transpose(K), V' = transpose(V), dK = dV = 0
//     for a block of rows (from the diagonal on):
//       P = exp(scale Q K' - lse)
//       dS = scale P (dY V' - delta)
//       dV += P' dY,  dK += dS' Q,  dQ += dS K
//
// With dropout D, dV += (D P)' dY and dS = scale P (D dY V' - delta).
//
// With a softcap, dS is multiplied by 1 - tanh(scale Q K' / softcap)^2 as well,
// which waits for it where dS will be. The bias gets dS in front of both.
//
// Nobody else writes what a tile, a key head of a sample, writes. A bias has
// one gradient for all samples: a tile then is a key head of all samples, which
// are added one after the other.
#include "passes/Lower/Cpu/AttentionGradProducts.h"
#include "passes/Lower/Cpu/AttentionGradScores.h"

using namespace mlir;
using namespace accel;

namespace {

class AttentionGradKernel : public AttentionCode {
public:
  AttentionGradKernel(KernelEmitter &emitter, AttentionGradOp op)
      : AttentionCode(emitter, op),
        resultGradient(getOperand(op.getResultGradient())),
        result(getOperand(op.getResult())), lse(getLse(op)),
        queryGradient(getResult(0)), keyGradient(getResult(1)),
        valueGradient(getResult(2)), products(*this) {
    if (tiles.sumsBias) {
      biasGradient = getResult(3);
    }
  }

  void emit();

private:
  HeadTensor getLse(AttentionGradOp op);
  void getWorkspaceTiles();
  void emitSample(Value sample, Value head);
  void clearBiasGradient(Value head);
  GradHead getHeadOfGroup(Value inGroup) const;
  TileRows getQuerySums(Value inGroup) const;
  void writeQuerySums();
  void copyHead();
  void emitDelta(const GradHead &head);
  void emitColumns(Value block);
  void emitHead(const GradHead &head, const GradColumns &columns);
  GradTile getTileOf(const GradHead &head, const GradColumns &columns,
                     Value block) const;
  void emitTile(const GradTile &tile);
  void writeColumns(const TileRows &from, const HeadTensor &to,
                    const GradColumns &columns);

  HeadTensor resultGradient, result, lse;
  HeadTensor queryGradient, keyGradient, valueGradient, biasGradient;
  AttentionGradProducts products;
  // Workspace.
  TileRows keys, values, probabilities, gradients, keySums, valueSums;
  std::optional<AttentionGradScores> scores;
  // Of the tile.
  Value batch, keyHead;
  TileRows keyRows, valueRows;
  AttentionDropout::Key dropoutKey;
  TileSource headQueries, headFlow; ///< of its only head, if that is copied
};

HeadTensor AttentionGradKernel::getLse(AttentionGradOp op) {
  // One row per head.
  int64_t offset = 0;
  Value buffer = emitter.getContiguous(op, op.getLse(), offset);
  return {buffer,
          {offset, {tiles.heads * tiles.rows, tiles.rows, tiles.rows, 1}},
          1,
          tiles.rows,
          emitter.getBuilder().getF32Type()};
}

void AttentionGradKernel::getWorkspaceTiles() {
  keys = getTile(0, kAttentionTile);
  values = getTile(1, kAttentionTile);
  probabilities = getTile(2, kAttentionTile);
  gradients = getTile(3, kAttentionTile);
  keySums = getTile(4, llvm::alignTo(tiles.depth, kTileLanes));
  valueSums = getTile(5, llvm::alignTo(tiles.width, kTileLanes));
  scores.emplace(*this, probabilities, gradients,
                 getTile(6, tiles.workspaceTiles()[6]));
}

void AttentionGradKernel::emit() {
  getWorkspaceTiles();
  t.each(emitter.getBegin(), emitter.getEnd(), 1, [&](Value tile) {
    if (!tiles.sumsBias) {
      return emitSample(t.div(tile, tiles.keyHeads),
                        t.rem(tile, tiles.keyHeads));
    }
    if (biasGradient) {
      clearBiasGradient(tile);
    }
    t.each(tiles.batch, 1, [&](Value sample) { emitSample(sample, tile); });
  });
}

void AttentionGradKernel::clearBiasGradient(Value head) {
  t.each(tiles.group(), 1, [&](Value inGroup) {
    Value number = t.add(t.mul(head, tiles.group()), inGroup);
    clear(getHead(biasGradient, t.index(0), number), t.index(tiles.rows));
  });
}

/// The key head `head` of a sample.
void AttentionGradKernel::emitSample(Value sample, Value head) {
  batch = sample;
  keyHead = head;
  keyRows = getHead(key, batch, keyHead);
  valueRows = getHead(value, batch, keyHead);
  if (dropout) {
    dropoutKey = dropout->getKey(batch);
  }
  if (tiles.copiesHeads()) {
    copyHead();
  }
  t.each(tiles.group(), 1,
         [&](Value inGroup) { emitDelta(getHeadOfGroup(inGroup)); });
  t.each(tiles.columnBlocks(), 1, [&](Value j) { emitColumns(j); });
  if (queryGradient && tiles.isNarrow) {
    writeQuerySums();
  }
}

GradHead AttentionGradKernel::getHeadOfGroup(Value inGroup) const {
  GradHead head;
  head.inGroup = inGroup;
  head.number = t.add(t.mul(keyHead, tiles.group()), inGroup);
  head.dropoutKey = dropoutKey;
  head.queries = getHead(query, batch, head.number);
  head.flow = getHead(resultGradient, batch, head.number);
  head.lse = getHead(lse, batch, head.number);
  head.added = added.getRows(batch, head.number);
  if (biasGradient) {
    head.biasGradient = getHead(biasGradient, t.index(0), head.number);
  }
  if (queryGradient) {
    head.queryGradient = tiles.isNarrow
                             ? getQuerySums(inGroup)
                             : getHead(queryGradient, batch, head.number);
  }
  return head;
}

/// Blocks of columns add to a head's gradient one after the other: sums that
/// are stored in 16 bits are kept in f32 until the last.
TileRows AttentionGradKernel::getQuerySums(Value inGroup) const {
  int64_t columns = llvm::alignTo(tiles.depth, kTileLanes);
  return getTilePart(10, inGroup, tiles.rows, columns, tiles.depth);
}

void AttentionGradKernel::writeQuerySums() {
  t.each(tiles.group(), 1, [&](Value inGroup) {
    TileRows sums = getQuerySums(inGroup);
    Value number = t.add(t.mul(keyHead, tiles.group()), inGroup);
    TileRows target = getHead(queryGradient, batch, number);
    t.each(tiles.rows, 1, [&](Value row) {
      for (int64_t x = 0; x < tiles.depth; x += kTileLanes) {
        target.store(sums.lanes(row, x), row, x);
      }
    });
  });
}

void AttentionGradKernel::copyHead() {
  GradHead head = getHeadOfGroup(t.index(0));
  Value rows = t.index(tiles.rows);
  headQueries = gatherRows(query, head.queries, t.index(0), rows, 8);
  headFlow = gatherRows(resultGradient, head.flow, t.index(0), rows, 9);
}

void AttentionGradKernel::emitDelta(const GradHead &head) {
  scores->emitDelta(head, getHead(result, batch, head.number));
  if (queryGradient) {
    clear(head.queryGradient, t.index(tiles.rows));
  }
}

void AttentionGradKernel::emitColumns(Value block) {
  GradColumns columns{
      block, t.mul(block, kAttentionTile), columnsOf(block), {}};
  packTransposed(keyRows, columns.first, tiles.columns, keys);
  packTransposed(valueRows, columns.first, tiles.columns, values);
  columns.keys = gatherRows(key, keyRows, columns.first, columns.count, 7);
  clear(keySums, t.index(kAttentionTile));
  clear(valueSums, t.index(kAttentionTile));
  t.each(tiles.group(), 1,
         [&](Value inGroup) { emitHead(getHeadOfGroup(inGroup), columns); });
  writeColumns(keySums, keyGradient, columns);
  writeColumns(valueSums, valueGradient, columns);
}

void AttentionGradKernel::emitHead(const GradHead &head,
                                   const GradColumns &columns) {
  Value first = t.index(0);
  if (tiles.hasDiagonal()) {
    first = columns.block;
  } else if (tiles.causal) {
    // The first row that sees the block's first column.
    Value row = t.max(t.add(columns.first, -tiles.offset()), t.index(0));
    first = t.div(row, kAttentionTile);
  }
  t.each(first, t.index(tiles.rowBlocks()), 1,
         [&](Value block) { emitTile(getTileOf(head, columns, block)); });
}

/// Its rows lie in the copy of their head, or where gatherRows says.
GradTile AttentionGradKernel::getTileOf(const GradHead &head,
                                        const GradColumns &columns,
                                        Value block) const {
  Value isDiagonal =
      tiles.hasDiagonal() ? t.isEqual(block, columns.block) : Value();
  Value first = t.mul(block, kAttentionTile), rows = rowsOf(block);
  GradTile tile{head, columns, first, rows, isDiagonal, {}, {}};
  if (tiles.copiesHeads()) {
    tile.queries = {headQueries.rows, t.add(headQueries.first, first)};
    tile.flow = {headFlow.rows, t.add(headFlow.first, first)};
  } else {
    tile.queries = gatherRows(query, head.queries, first, rows, 8);
    tile.flow = gatherRows(resultGradient, head.flow, first, rows, 9);
  }
  return tile;
}

void AttentionGradKernel::emitTile(const GradTile &tile) {
  products.multiply(tile, tile.queries, keys, tiles.depth,
                    [&](Value row, Value lane, Value score) {
                      probabilities.storeAll(score, row, lane);
                    });
  scores->emitProbabilities(tile);
  products.multiply(tile, tile.flow, values, tiles.width,
                    [&](Value row, Value lane, Value flow) {
                      scores->emitGradient(tile, row, lane, flow);
                    });
  products.addToColumns(tile, probabilities, tile.flow, valueSums, tiles.width);
  products.addToColumns(tile, gradients, tile.queries, keySums, tiles.depth);
  if (queryGradient) {
    products.addToRows(tile, gradients);
  }
}

void AttentionGradKernel::writeColumns(const TileRows &from,
                                       const HeadTensor &to,
                                       const GradColumns &columns) {
  if (!to) {
    return;
  }
  TileRows target = getHead(to, batch, keyHead);
  t.each(t.index(0), columns.count, 1, [&](Value row) {
    Value line = t.add(columns.first, row);
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
