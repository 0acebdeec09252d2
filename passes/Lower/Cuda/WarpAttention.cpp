// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention, a warp for each query. Threads share the columns of rows; the
// numbers of a score are the same in all threads.
//
//   for a query:  m = -inf, l = 0, acc = 0
//     for a key that it sees:
//       s = scale * (query . key), masked
//       m' = max(m, s),  a = exp(m - m'),  p = exp(s - m')
//       l = a l + p,  acc = a acc + dropped(p) value
//     result = acc / l,  lse = m + log l
#include "passes/Lower/Cuda/WarpAttention.h"

#include "dialects/Accel/IR/AttentionTile.h"
#include "passes/Lower/Philox.h"
#include "passes/Lower/RandomOps.h"

#include <array>
#include <limits>

using namespace mlir;
using namespace accel;

WarpAttention::WarpAttention(KernelEmitter &emitter, Operation *op)
    : emitter(emitter), op(op), rows(emitter),
      indices(emitter.getBuilder(), emitter.getLoc()),
      m(emitter.getBuilder(), emitter.getLoc(),
        emitter.getBuilder().getF32Type()),
      sizes(WarpAttentionTiles::get(op)) {
  minusInfinity = m.number(-std::numeric_limits<double>::infinity());
  if (auto forward = dyn_cast<AttentionOp>(op)) {
    readOperands(forward);
  } else {
    readOperands(cast<AttentionGradOp>(op));
  }
}

template <typename OpTy> void WarpAttention::readOperands(OpTy attention) {
  query = getOperand(attention.getQuery());
  key = getOperand(attention.getKey());
  value = getOperand(attention.getValue());
  mask = attention.getMask();
  bias = attention.getBias();
  scale = attention.getScale().convertToDouble();
  softcap = attention.getSoftcap().convertToDouble();
  double probability = attention.getProbability().convertToDouble();
  if (probability == 0.0) {
    return;
  }
  OpBuilder &builder = emitter.getBuilder();
  Arithmetic wide(builder, emitter.getLoc(), builder.getI64Type());
  Value seed = emitter.scalarAt(attention.getSeed(), emitter.number(0));
  Value site = emitSite(emitter, emitter.getLoc(), attention.getSite(),
                        attention.getSiteOffset());
  if (seed && site) {
    dropout = {probability, attention.getSamples(),
               wide.xorBits(seed, wide.shiftRightLogical(seed, 32)),
               wide.zeroExtend(site)};
  }
}

WarpAttention::Place WarpAttention::placeOfQueries(Value tile) const {
  int64_t tiles = sizes.tilesOfHead();
  Value line = indices.div(tile, tiles);
  return {indices.div(line, sizes.heads), indices.rem(line, sizes.heads),
          indices.mul(indices.rem(tile, tiles), sizes.queryRows), Value()};
}

WarpAttention::Place WarpAttention::placeOfKeys(Value tile) const {
  int64_t tiles = sizes.tilesOfKeyHead();
  Value line = indices.div(tile, tiles);
  return {indices.div(line, sizes.keyHeads), indices.rem(line, sizes.keyHeads),
          Value(), indices.mul(indices.rem(tile, tiles), sizes.keyRows)};
}

Value WarpAttention::endOfKeys(Value query) const {
  if (!sizes.causal) {
    return indices.index(sizes.columns);
  }
  Value end = indices.add(query, indices.index(sizes.offset() + 1));
  return sizes.offset() >= 0 ? end : indices.max(end, indices.index(0));
}

Value WarpAttention::firstQuery(Value key) const {
  if (!sizes.causal) {
    return indices.index(0);
  }
  Value first = indices.sub(key, indices.index(sizes.offset()));
  return indices.max(first, indices.index(0));
}

Value WarpAttention::getBuffer(Value result) {
  for (auto [i, returned] : llvm::enumerate(emitter.getResults())) {
    if (returned == result) {
      return emitter.getResultBuffer(i);
    }
  }
  return {};
}

AffineExpr WarpAttention::rowOf(const Place &place) {
  return (emitter.dimension(place.batch) * sizes.heads +
          emitter.dimension(place.head)) *
             sizes.rows +
         emitter.dimension(place.query);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// `mask`: the operation's, or its bias.
Value WarpAttention::masked(Value score, Value mask, const Place &place) {
  ArrayRef<int64_t> shape = shapeOf(mask);
  AffineExpr position = emitter.number(0);
  std::array<Value, 4> coordinates = {place.batch, place.head, place.query,
                                      place.key};
  for (auto [size, coordinate] : llvm::zip_equal(shape, coordinates)) {
    position = position * size;
    if (size != 1) {
      position = position + emitter.dimension(coordinate);
    }
  }
  Value element = emitter.scalarAt(mask, position);
  if (!element) {
    return score;
  }
  return element.getType().isInteger(1)
             ? m.select(element, score, minusInfinity)
             : m.add(score, element);
}

Value WarpAttention::score(Value product, const Place &place) {
  Value score = softcap == 0.0 ? m.mul(product, m.number(scale))
                               : m.mul(getBounded(product), m.number(softcap));
  for (Value added : {bias, mask}) {
    score = added ? masked(score, added, place) : score;
  }
  return score;
}

Value WarpAttention::probability(Value score, Value shift) {
  Value isSeen = m.compare(arith::CmpFPredicate::UNE, shift, minusInfinity);
  return m.select(isSeen, m.exp(m.sub(score, shift)), m.number(0.0));
}

/// The word of a place decides: accel.attention says which it is.
Value WarpAttention::keptFactor(const Place &place) {
  if (!dropout) {
    return {};
  }
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  int64_t tiles = llvm::divideCeil(sizes.columns, kAttentionTile);
  Value line = indices.add(indices.mul(place.head, sizes.rows), place.query);
  Value tile = indices.add(indices.mul(line, tiles),
                           indices.div(place.key, kAttentionTile));
  Value block = indices.add(indices.mul(tile, kAttentionTileBlocks),
                            indices.rem(place.key, kAttentionTileBlocks));
  Arithmetic wide(builder, loc, builder.getI64Type());
  Arithmetic words(builder, loc, builder.getI32Type());
  Value counter = indices.cast(block, builder.getI64Type());
  Value sample =
      emitter.scalarAt(dropout->samples, emitter.dimension(place.batch));
  std::array<Value, 4> all =
      emitPhiloxLanes(builder, loc, dropout->seed, dropout->site,
                      {counter, wide.shiftRightLogical(counter, 32), sample,
                       wide.shiftRightLogical(sample, 32)});
  Value which =
      indices.div(indices.rem(place.key, kAttentionTile), kAttentionTileBlocks);
  Value word = all[3];
  for (int64_t i = 2; i >= 0; --i) {
    word = words.select(indices.isEqual(which, indices.index(i)), all[i], word);
  }
  std::optional<uint32_t> threshold = getLeastKeptWord(dropout->probability);
  if (!threshold) {
    return m.number(0.0);
  }
  Value least = words.integer(static_cast<int32_t>(*threshold));
  Value isKept = words.compare(arith::CmpIPredicate::uge, word, least);
  return m.select(isKept, m.number(1.0 / (1.0 - dropout->probability)),
                  m.number(0.0));
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

namespace {

class ForwardKernel : public WarpAttention {
public:
  ForwardKernel(KernelEmitter &emitter, AttentionOp op)
      : WarpAttention(emitter, op), result(getResult(0)),
        lse(getBuffer(op.getLse())) {}

  void emit();

private:
  void emitQuery(const Place &place);
  void emitKey(const Place &place, Value queryRow);
  void finish(const Place &place);

  HeadTensor result;
  Value lse;
  Value maximum, total, sums; ///< that threads keep
};

void ForwardKernel::emit() {
  maximum = rows.makeNumber();
  total = rows.makeNumber();
  sums = rows.makeRow(sizes.width);
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1,
                  [&](Value tile) { emitQuery(placeOfQueries(tile)); });
}

void ForwardKernel::emitQuery(const Place &place) {
  rows.set(maximum, minusInfinity);
  rows.set(total, m.number(0.0));
  rows.clear(sums);
  Value queryRow = rows.getRow(query, place.batch, place.head, place.query);
  emitter.forEach(indices.index(0), endOfKeys(place.query), 1, [&](Value j) {
    emitKey({place.batch, place.head, place.query, j}, queryRow);
  });
  finish(place);
}

void ForwardKernel::emitKey(const Place &place, Value queryRow) {
  Value keyHead = indices.div(place.head, sizes.group());
  Value keyRow = rows.getRow(key, place.batch, keyHead, place.key);
  Value s = score(rows.dot(query, queryRow, key, keyRow), place);
  Value before = rows.get(maximum);
  Value now = m.max(before, s);
  Value decay = probability(before, now);
  Value p = probability(s, now);
  rows.set(maximum, now);
  rows.set(total, m.fma(rows.get(total), decay, p));
  Value valueRow = rows.getRow(value, place.batch, keyHead, place.key);
  rows.accumulate(sums, decay, value, valueRow, times(p, keptFactor(place)));
}

/// A row that sees nothing gives zeros.
void ForwardKernel::finish(const Place &place) {
  Value sum = rows.get(total);
  Value seesAny = m.compare(arith::CmpFPredicate::UNE, sum, m.number(0.0));
  Value inverse = m.div(m.number(1.0), m.select(seesAny, sum, m.number(1.0)));
  if (result) {
    rows.store(sums, inverse, result,
               rows.getRow(result, place.batch, place.head, place.query));
  }
  if (lse) {
    Value known = m.add(rows.get(maximum), m.log(sum));
    emitter.store(m.select(seesAny, known, minusInfinity), lse, rowOf(place),
                  Storing());
  }
}

} // namespace

void accel::emitWarpAttention(KernelEmitter &emitter, AttentionOp op) {
  ForwardKernel kernel(emitter, op);
  if (!emitter.hasFailed()) {
    kernel.emit();
  }
}
