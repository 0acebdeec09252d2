// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two products with a softmax between them.
#include "frontends/onnx/Builders/ScoredAttention.h"

#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/Formula.h"

#include <limits>

using namespace mlir;

namespace accel::onnx {
namespace {

/// (b, g, s, d) with each head as often as query heads share it.
Value repeatHeads(const NodeConversion &c, Value value, int64_t heads) {
  ArrayRef<int64_t> shape = c.typeOf(value).getShape();
  if (shape[1] == heads) {
    return value;
  }
  int64_t shared = heads / shape[1];
  Value wide = broadcastTo(
      c, c.reshape(value, {shape[0], shape[1], 1, shape[2], shape[3]}),
      {shape[0], shape[1], shared, shape[2], shape[3]});
  return c.reshape(wide, {shape[0], heads, shape[2], shape[3]});
}

/// What is added to scores, in the mask's own shape: a constant mask stays as
/// small as it is.
Value makeBias(const NodeConversion &c, Value mask, Type element) {
  RankedTensorType type = c.typeOf(mask);
  if (!type.getElementType().isInteger(1)) {
    return mask;
  }
  Formula f(c, type.clone(element));
  return f.select(mask, f.number(0.0),
                  f.number(-std::numeric_limits<double>::infinity()));
}

/// Whether a row of `bias` leaves something, in every element of the scores.
Value findRows(const NodeConversion &c, Value bias, RankedTensorType scores) {
  RankedTensorType type = c.typeOf(bias);
  SmallVector<int64_t> rows(type.getShape().drop_back());
  Value most = ReduceMaxOp::create(c.builder, c.loc, type.clone(rows), bias,
                                   ArrayRef<int64_t>{type.getRank() - 1});
  Formula f(c, type.clone(rows));
  Value exists =
      f.greater(most, f.number(-std::numeric_limits<double>::infinity()));
  rows.push_back(1);
  return broadcastTo(c, c.reshape(exists, rows), scores.getShape());
}

} // namespace

ScoredAttention buildScoredAttention(const NodeConversion &c, Value query,
                                     Value key, Value value, Value mask,
                                     double scale, double cap, Type softmax,
                                     ScoreOutput output) {
  RankedTensorType type = c.typeOf(query);
  int64_t heads = type.getDimSize(1);
  Value keys = repeatHeads(c, key, heads),
        values = repeatHeads(c, value, heads);
  RankedTensorType scoreType =
      type.clone({type.getDimSize(0), heads, type.getDimSize(2),
                  c.typeOf(keys).getDimSize(2)});
  Formula f(c, scoreType);
  Value scores = f.scale(scale, MatmulOp::create(c.builder, c.loc, scoreType,
                                                 query, keys, false, true));
  Value shown = scores;
  if (cap != 0.0) {
    scores = f.scale(cap, f.tanh(f.scale(1.0 / cap, scores)));
    shown = scores;
  }
  Value rows;
  if (mask) {
    Value bias = makeBias(c, mask, scoreType.getElementType());
    rows = findRows(c, bias, scoreType);
    scores = f.add(scores, broadcastTo(c, bias, scoreType.getShape()));
  }
  if (output == ScoreOutput::Masked) {
    shown = scores;
  }
  // A row of which nothing is left has no softmax, and no gradient either.
  Value exponents =
      c.cast(rows ? f.select(rows, scores, f.number(0.0)) : scores, softmax);
  Value probabilities = c.cast(
      SoftmaxOp::create(c.builder, c.loc, scoreType.clone(softmax), exponents),
      scoreType.getElementType());
  if (rows) {
    probabilities = f.select(rows, probabilities, f.number(0.0));
  }
  Value result = MatmulOp::create(
      c.builder, c.loc,
      type.clone({type.getDimSize(0), heads, type.getDimSize(2),
                  c.typeOf(values).getDimSize(3)}),
      probabilities, values, false, false);
  return {result, output == ScoreOutput::Probabilities ? probabilities : shown};
}

} // namespace accel::onnx
