// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maxima, sums and their corrections from tile to tile.
#include "passes/Lower/Cpu/OnlineSoftmax.h"

using namespace mlir;
using namespace accel;

void OnlineSoftmax::begin() const {
  t.each(kAttentionTile, kTileLanes, [&](Value lane) {
    store(code.minusInfinity, Maximum, lane);
    store(code.zero, Sum, lane);
  });
}

void OnlineSoftmax::beginTile() const {
  t.each(kAttentionTile, kTileLanes,
         [&](Value lane) { store(code.minusInfinity, TileMaximum, lane); });
}

/// A row that has seen nothing yet keeps -inf, and a harmless shift of 0.
Value OnlineSoftmax::getShiftOf(Value maximum) const {
  return code.mayBeEmpty() ? m.select(m.isEqual(maximum, code.minusInfinity),
                                      code.zero, maximum)
                           : maximum;
}

void OnlineSoftmax::endTile() const {
  t.each(kAttentionTile, kTileLanes, [&](Value lane) {
    Value before = load(Maximum, lane);
    Value tile = load(TileMaximum, lane);
    tile = code.isScaledFirst() ? tile : m.mul(tile, code.scaleLanes);
    Value now = m.larger(tile, before);
    Value factor = m.exp(m.sub(before, getShiftOf(now)));
    store(now, Maximum, lane);
    store(factor, Factor, lane);
    store(m.mul(load(Sum, lane), factor), Sum, lane);
  });
}

void OnlineSoftmax::finish() const {
  t.each(kAttentionTile, kTileLanes, [&](Value lane) {
    Value sum = load(Sum, lane);
    Value inverse = m.div(m.number(code.keepFactor()), sum);
    Value logarithm = m.add(load(Maximum, lane), m.log(sum));
    if (code.mayBeEmpty()) {
      Value isEmpty = m.isEqual(sum, code.zero);
      inverse = m.select(isEmpty, code.zero, inverse);
      logarithm = m.select(isEmpty, code.minusInfinity, logarithm);
    }
    store(inverse, Factor, lane);
    store(logarithm, Sum, lane);
  });
}
