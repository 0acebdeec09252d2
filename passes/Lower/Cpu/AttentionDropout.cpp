// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters, words and the comparison with the least word that is kept.
#include "passes/Lower/Cpu/AttentionDropout.h"

#include "passes/Lower/Philox.h"
#include "passes/Lower/RandomOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>

using namespace mlir;
using namespace accel;

AttentionDropout::AttentionDropout(KernelEmitter &emitter, Operation *op,
                                   const AttentionTiles &tiles,
                                   const Operands &operands)
    : t(emitter.getBuilder(), emitter.getLoc()), tiles(tiles),
      probability(operands.probability) {
  Arithmetic m(t.getBuilder(), t.getLoc(), t.getBuilder().getI64Type());
  samples = emitter.getContiguous(op, operands.samples, samplesOffset);
  Value seed = emitter.scalarAt(operands.seed, emitter.number(0));
  seedLanes = t.splat(m.xorBits(seed, m.shiftRightLogical(seed, 32)));
  Value site =
      emitSite(emitter, t.getLoc(), operands.site, operands.siteOffset);
  siteLanes = t.splat(m.zeroExtend(site));
}

/// Lanes of i64 with an index in each.
Value AttentionDropout::wide(Value index) const {
  return t.splat(t.cast(index, t.getBuilder().getI64Type()));
}

AttentionDropout::Key AttentionDropout::getKey(Value batch) const {
  Arithmetic m(t.getBuilder(), t.getLoc(), t.getBuilder().getI64Type());
  Value sample =
      memref::LoadOp::create(t.getBuilder(), t.getLoc(), samples,
                             ValueRange{t.add(batch, samplesOffset)});
  return {seedLanes, siteLanes, t.splat(sample),
          t.splat(m.shiftRightLogical(sample, 32))};
}

/// `first + lane * step`, 64 bits wide.
static Value countUp(const TileCode &t, Value first, int64_t step) {
  OpBuilder &builder = t.getBuilder();
  SmallVector<int64_t> steps;
  for (int64_t lane = 0; lane < kTileLanes; ++lane) {
    steps.push_back(lane * step);
  }
  Value lanes = arith::ConstantOp::create(
      builder, t.getLoc(),
      DenseElementsAttr::get(t.vectorOf(builder.getI64Type()),
                             ArrayRef<int64_t>(steps)));
  return t.lanesOf(builder.getI64Type()).add(first, lanes);
}

AttentionDropout::Words AttentionDropout::wordsAlongRows(const Key &key,
                                                         Value head, Value row,
                                                         Value block,
                                                         Value c) const {
  int64_t blocks = tiles.columnBlocks();
  Value line = t.add(t.mul(head, tiles.rows), row);
  Value tile = t.add(t.mul(line, blocks), block);
  Value first = t.add(t.mul(tile, kAttentionTileBlocks), c);
  return words(key, countUp(t, wide(first), kAttentionTileBlocks * blocks));
}

AttentionDropout::Words AttentionDropout::wordsAlongColumns(const Key &key,
                                                            Value head,
                                                            Value row,
                                                            Value block) const {
  static_assert(kAttentionTileBlocks == kTileLanes,
                "a vector counts the blocks of a row");
  Value line = t.add(t.mul(head, tiles.rows), row);
  Value tile = t.add(t.mul(line, tiles.columnBlocks()), block);
  return words(key, countUp(t, wide(t.mul(tile, kAttentionTileBlocks)), 1));
}

AttentionDropout::Words AttentionDropout::words(const Key &key,
                                                Value counters) const {
  Arithmetic m = t.lanesOf(t.getBuilder().getI64Type());
  return emitPhiloxLanes(t.getBuilder(), t.getLoc(), key.seed, key.site,
                         {counters, m.shiftRightLogical(counters, 32),
                          key.sampleLow, key.sampleHigh});
}

Value AttentionDropout::isDropped(Value word) const {
  Arithmetic m = t.lanesOf(t.getBuilder().getI32Type());
  std::optional<uint32_t> threshold = getLeastKeptWord(probability);
  Value least =
      m.integer(static_cast<int32_t>(threshold.value_or(~uint32_t(0))));
  // All words are at most the largest.
  auto how = threshold ? arith::CmpIPredicate::ult : arith::CmpIPredicate::ule;
  return m.compare(how, word, least);
}
