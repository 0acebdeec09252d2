// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Delta, exponentials and their gradients, row by row.
#include "passes/Lower/Cpu/AttentionGradScores.h"

#include <limits>

using namespace mlir;
using namespace accel;

void AttentionGradScores::emitDelta(const GradHead &head,
                                    const TileRows &result) const {
  t.each(tiles.rows, 1, [&](Value row) {
    Value sum = code.zero;
    for (int64_t x = 0; x < tiles.width; x += kTileLanes) {
      sum = m.fma(result.lanes(row, x), head.flow.lanes(row, x), sum);
    }
    delta.storeScalar(t.sumLanes(sum), t.index(0), placeOfDelta(head, row));
  });
}

void AttentionGradScores::emitProbabilities(const GradTile &tile) const {
  t.each(t.index(0), tile.rows, 1,
         [&](Value row) { emitProbabilityRow(tile, row); });
}

void AttentionGradScores::emitProbabilityRow(const GradTile &tile,
                                             Value row) const {
  Value line = t.add(tile.firstRow, row);
  Value logarithm = t.splat(tile.head.lse.scalar(t.index(0), line));
  if (code.mayBeEmpty()) {
    // A row without columns has no probabilities.
    Value infinity = m.number(std::numeric_limits<double>::infinity());
    logarithm =
        m.select(m.isEqual(logarithm, code.minusInfinity), infinity, logarithm);
  }
  const auto &dropout = code.dropout;
  std::array<Value, 4> words;
  if (dropout) {
    words = dropout->wordsAlongColumns(tile.head.dropoutKey, tile.head.number,
                                       line, tile.columns.block);
  }
  // On the diagonal what lies behind was not computed.
  Value end =
      code.chooseOn(tile.isDiagonal, t.add(row, 1), t.index(kAttentionTile));
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

/// The logarithms of sixteen probabilities.
Value AttentionGradScores::emitExponent(const GradTile &tile, Value row,
                                        int64_t lane, Value logarithm) const {
  Value score = probabilities.lanes(row, lane);
  if (code.softcap != 0.0) {
    Value bounded = code.getBounded(score);
    Value slope = m.sub(m.number(1.0), m.mul(bounded, bounded));
    gradients.store(m.mul(slope, code.scaleLanes), row, lane);
    score = m.mul(bounded, m.number(code.softcap));
  }
  Value added;
  if (code.added) {
    Value line = t.add(tile.firstRow, row);
    added = code.added.lanes(tile.head.added, line,
                             t.add(tile.columns.first, lane));
  }
  if (code.softcap != 0.0) {
    return m.sub(added ? m.add(score, added) : score, logarithm);
  }
  return added ? m.sub(m.fma(score, code.scaleLanes, added), logarithm)
               : m.fma(score, code.scaleLanes, m.neg(logarithm));
}

/// Those of sixteen columns from `lane` on; zero where causality forbids them.
Value AttentionGradScores::emitProbability(const GradTile &tile, Value row,
                                           int64_t lane,
                                           Value logarithm) const {
  Value p = m.exp(emitExponent(tile, row, lane, logarithm));
  if (!tiles.causal) {
    return p;
  }
  return keepSeen(tile, row, t.index(lane), p);
}

/// `lanes` from column `lane` on; zero where causality forbids them.
Value AttentionGradScores::keepSeen(const GradTile &tile, Value row, Value lane,
                                    Value lanes) const {
  Value line = t.add(tile.firstRow, row);
  Value last =
      tile.isDiagonal
          ? t.select(tile.isDiagonal, t.sub(row, lane), t.index(kTileLanes))
          : t.sub(t.sub(t.add(line, tiles.offset()), lane), tile.columns.first);
  return m.select(t.lanesThat(arith::CmpIPredicate::sle, last), lanes,
                  code.zero);
}

void AttentionGradScores::addToBias(const GradTile &tile, Value row, Value lane,
                                    Value gradient) const {
  // On the diagonal what lies behind is no probability.
  gradient = tiles.causal ? keepSeen(tile, row, lane, gradient) : gradient;
  const TileRows &target = tile.head.biasGradient;
  Value line = t.add(tile.firstRow, row);
  Value column = t.add(tile.columns.first, lane);
  if (!code.hasTail()) {
    return target.storeAll(m.add(target.allLanes(line, column), gradient), line,
                           column);
  }
  Value before = target.someLanes(line, column, code.zero);
  target.storeSome(m.add(before, gradient), line, column);
}

void AttentionGradScores::emitGradient(const GradTile &tile, Value row,
                                       Value lane, Value flow) const {
  Value line = t.add(tile.firstRow, row);
  Value p = probabilities.allLanes(row, lane);
  Value number = placeOfDelta(tile.head, line);
  Value mean = t.splat(delta.scalar(t.index(0), number));
  if (code.dropout) {
    Value dropped = m.isNegative(p);
    Value keep = m.number(code.keepFactor());
    Value kept = m.select(dropped, code.zero, m.mul(p, keep));
    probabilities.storeAll(kept, row, lane);
    p = m.abs(p);
    flow = m.select(dropped, code.zero, m.mul(flow, keep));
  }
  Value centred = m.sub(flow, mean);
  if (tile.head.biasGradient) {
    addToBias(tile, row, lane, m.mul(p, centred));
  }
  Value slope =
      code.softcap != 0.0 ? gradients.allLanes(row, lane) : code.scaleLanes;
  gradients.storeAll(m.mul(m.mul(p, slope), centred), row, lane);
}
