// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of attention: a warp for each query, whose gradient it sums over
// keys, and one for each key, whose gradient and whose value's it sums over
// queries. So each number is written once, and nothing is added by two warps.
//
//   p = exp(s - lse),  delta = result . dresult
//   ds = p (dropped(dresult . value) - delta) scale
//   dquery = sum of ds key;  dkey = sum of ds query
//   dvalue = sum of dropped(p) dresult
//
// With a softcap, ds has the factor 1 - tanh(scale query . key / softcap)^2 as
// well. The gradient of a bias, which is ds without factors, is summed over the
// samples by one warp for each query of a head, in the order of the samples.
#include "passes/Lower/Cuda/WarpAttention.h"

using namespace mlir;
using namespace accel;

namespace {

class GradientKernel : public WarpAttention {
public:
  GradientKernel(KernelEmitter &emitter, AttentionGradOp op)
      : WarpAttention(emitter, op), result(getOperand(op.getResult())),
        gradient(getOperand(op.getResultGradient())), lse(op.getLse()),
        queryGradient(getResult(0)), keyGradient(getResult(1)),
        valueGradient(getResult(2)) {
    if (sizes.sumsBias) {
      biasGradient = getResult(3);
    }
  }

  void emit();

private:
  /// What is the same for all keys of a query.
  struct QueryRow {
    Value query, gradient;
    Value delta, lse;
  };
  struct Factors {
    Value probability; ///< with what is dropped
    Value bias;        ///< the gradient of the score
    Value score;       ///< the same of the product of query and key
  };

  void emitQueryTile(Value tile);
  void emitKeyTile(Value tile);
  void emitBiasTile(Value tile);
  void emitBiasGradient(const Place &place);
  void emitKeyGradients(const Place &place, Value keyRow, Value valueRow);
  QueryRow readQuery(const Place &place);
  Factors compute(const Place &place, const QueryRow &of, Value keyRow,
                  Value valueRow);

  HeadTensor result, gradient;
  Value lse;
  HeadTensor queryGradient, keyGradient, valueGradient, biasGradient;
  Value querySums, keySums, valueSums, biasSum; ///< that threads keep
};

void GradientKernel::emit() {
  querySums = rows.makeRow(sizes.depth);
  keySums = rows.makeRow(sizes.depth);
  valueSums = rows.makeRow(sizes.width);
  if (biasGradient) {
    biasSum = rows.makeNumber();
  }
  int64_t queries = sizes.queryTiles(), keys = sizes.keyTiles();
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1, [&](Value tile) {
    Value isQuery = indices.isBelow(tile, indices.index(queries));
    emitter.onlyIf(isQuery, [&] { emitQueryTile(tile); });
    emitter.onlyIf(indices.isNot(isQuery), [&] {
      Value rest = indices.sub(tile, indices.index(queries));
      if (!sizes.sumsBias) {
        return emitKeyTile(rest);
      }
      Value isKey = indices.isBelow(rest, indices.index(keys));
      emitter.onlyIf(isKey, [&] { emitKeyTile(rest); });
      emitter.onlyIf(indices.isNot(isKey), [&] {
        emitBiasTile(indices.sub(rest, indices.index(keys)));
      });
    });
  });
}

GradientKernel::QueryRow GradientKernel::readQuery(const Place &place) {
  auto rowOfTensor = [&](const HeadTensor &tensor) {
    return rows.getRow(tensor, place.batch, place.head, place.query);
  };
  QueryRow row;
  row.query = rowOfTensor(query);
  row.gradient = rowOfTensor(gradient);
  row.delta = rows.dot(result, rowOfTensor(result), gradient, row.gradient);
  row.lse = emitter.scalarAt(lse, rowOf(place));
  return row;
}

GradientKernel::Factors GradientKernel::compute(const Place &place,
                                                const QueryRow &of,
                                                Value keyRow, Value valueRow) {
  Value dot = rows.dot(query, of.query, key, keyRow);
  Value s = score(dot, place);
  Value p = probability(s, of.lse);
  Value kept = keptFactor(place);
  Value product = rows.dot(gradient, of.gradient, value, valueRow);
  Value ofScore = m.mul(p, m.sub(times(product, kept), of.delta));
  Value ofProduct = m.mul(ofScore, m.number(scale));
  if (softcap != 0.0) {
    Value bounded = getBounded(dot);
    ofProduct = m.mul(ofProduct, m.sub(m.number(1.0), m.mul(bounded, bounded)));
  }
  return {times(p, kept), ofScore, ofProduct};
}

void GradientKernel::emitQueryTile(Value tile) {
  if (!queryGradient) {
    return;
  }
  auto [batch, head, i, none] = placeOfQueries(tile);
  Value keyHead = indices.div(head, sizes.group());
  QueryRow of = readQuery({batch, head, i, Value()});
  rows.clear(querySums);
  emitter.forEach(indices.index(0), endOfKeys(i), 1, [&](Value j) {
    Value keyRow = rows.getRow(key, batch, keyHead, j);
    Value valueRow = rows.getRow(value, batch, keyHead, j);
    Factors factors = compute({batch, head, i, j}, of, keyRow, valueRow);
    rows.accumulate(querySums, Value(), key, keyRow, factors.score);
  });
  rows.store(querySums, Value(), queryGradient,
             rows.getRow(queryGradient, batch, head, i));
}

void GradientKernel::emitKeyTile(Value tile) {
  auto [batch, keyHead, none, j] = placeOfKeys(tile);
  Value keyRow = rows.getRow(key, batch, keyHead, j);
  Value valueRow = rows.getRow(value, batch, keyHead, j);
  rows.clear(keySums);
  rows.clear(valueSums);
  emitter.forEach(
      indices.index(0), indices.index(sizes.group()), 1, [&](Value member) {
        Value head = indices.add(indices.mul(keyHead, sizes.group()), member);
        emitter.forEach(
            firstQuery(j), indices.index(sizes.rows), 1, [&](Value i) {
              emitKeyGradients({batch, head, i, j}, keyRow, valueRow);
            });
      });
  if (keyGradient) {
    rows.store(keySums, Value(), keyGradient,
               rows.getRow(keyGradient, batch, keyHead, j));
  }
  if (valueGradient) {
    rows.store(valueSums, Value(), valueGradient,
               rows.getRow(valueGradient, batch, keyHead, j));
  }
}

void GradientKernel::emitKeyGradients(const Place &place, Value keyRow,
                                      Value valueRow) {
  QueryRow of = readQuery(place);
  Factors factors = compute(place, of, keyRow, valueRow);
  rows.accumulate(keySums, Value(), query, of.query, factors.score);
  rows.accumulate(valueSums, Value(), gradient, of.gradient,
                  factors.probability);
}

void GradientKernel::emitBiasTile(Value tile) {
  if (!biasGradient) {
    return;
  }
  Value head = indices.div(tile, sizes.rows);
  Value i = indices.rem(tile, sizes.rows);
  emitter.forEach(indices.index(0), indices.index(sizes.columns), 1,
                  [&](Value j) { emitBiasGradient({Value(), head, i, j}); });
}

/// What a query does not see, has no gradient.
void GradientKernel::emitBiasGradient(const Place &place) {
  rows.set(biasSum, m.number(0.0));
  Value isSeen = indices.isBelow(place.key, endOfKeys(place.query));
  Value keyHead = indices.div(place.head, sizes.group());
  emitter.onlyIf(isSeen, [&] {
    emitter.forEach(
        indices.index(0), indices.index(sizes.batch), 1, [&](Value sample) {
          Place at = place;
          at.batch = sample;
          Value keyRow = rows.getRow(key, sample, keyHead, at.key);
          Value valueRow = rows.getRow(value, sample, keyHead, at.key);
          Factors factors = compute(at, readQuery(at), keyRow, valueRow);
          rows.set(biasSum, m.add(rows.get(biasSum), factors.bias));
        });
  });
  ArrayRef<int64_t> strides = biasGradient.view.strides;
  AffineExpr position = emitter.dimension(place.head) * strides[1] +
                        emitter.dimension(place.query) * strides[2] +
                        emitter.dimension(place.key) * strides[3];
  emitter.store(rows.get(biasSum), biasGradient.buffer, position, Storing());
}

} // namespace

void accel::emitWarpAttentionGrad(KernelEmitter &emitter, AttentionGradOp op) {
  GradientKernel kernel(emitter, op);
  if (!emitter.hasFailed()) {
    kernel.emit();
  }
}
