// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of layers that carry a state from one part of a sequence to the
// next: causal convolutions and linear attention.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/DepthwiseConvolution.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;

namespace accel::onnx {
namespace {

LogicalResult checkCausalConv(NodeConversion &c) {
  RankedTensorType input = c.inputType(0), weight = c.inputType(1);
  bool fits =
      input.getRank() == 3 && weight.getRank() == 3 &&
      isa<FloatType>(input.getElementType()) &&
      weight == input.clone({input.getDimSize(1), 1, weight.getShape().back()});
  if (!fits) {
    return c.error() << "expected floats (n, channels, length) and weights "
                        "(channels, 1, k), got "
                     << input << " and " << weight;
  }
  RankedTensorType bias = input.clone(input.getShape().slice(1, 1));
  RankedTensorType state = input.clone(
      {input.getDimSize(0), input.getDimSize(1), weight.getDimSize(2) - 1});
  if ((c.hasInput(2) && c.inputType(2) != bias) ||
      (c.hasInput(3) && c.inputType(3) != state)) {
    return c.error() << "expected a bias " << bias << " and a past_state "
                     << state;
  }
  StringRef activation = c.getString("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish") {
    return c.error() << "expected an activation of none, silu or swish, got '"
                     << activation << "'";
  }
  return success();
}

struct LinearAttentionRule {
  bool decays, corrects;
};

/// The recurrence of linear attention, one position after the other. States are
/// (n, heads, d, e): sums of outer products of keys and values.
class LinearAttention {
public:
  explicit LinearAttention(NodeConversion &c)
      : c(c), heads(c.getInt("kv_num_heads", 1)),
        queryHeads(c.getInt("q_num_heads", 1)),
        ruleName(c.getString("update_rule", "gated_delta")) {}

  LogicalResult run();

private:
  LogicalResult check();
  Value unpack(size_t i, int64_t count) const;
  Value at(Value unpacked, int64_t position) const;
  Value update(Value state, int64_t position) const;
  Value readState(Value state, int64_t position) const;

  ArrayRef<int64_t> shapeOf(size_t i) const {
    return c.inputType(i).getShape();
  }
  int64_t samples() const { return shapeOf(0)[0]; }
  int64_t length() const { return shapeOf(0)[1]; }

  NodeConversion &c;
  int64_t heads, queryHeads;
  StringRef ruleName;
  LinearAttentionRule rule{};
  int64_t keySize = 0, valueSize = 0;
  RankedTensorType stateType;
  Value query, key, value, decay, beta; ///< unpacked
};

LogicalResult LinearAttention::check() {
  std::optional<LinearAttentionRule> found =
      llvm::StringSwitch<std::optional<LinearAttentionRule>>(ruleName)
          .Case("linear", LinearAttentionRule{false, false})
          .Case("gated", LinearAttentionRule{true, false})
          .Case("delta", LinearAttentionRule{false, true})
          .Case("gated_delta", LinearAttentionRule{true, true})
          .Default(std::nullopt);
  if (!found || c.hasInput(4) != found->decays ||
      c.hasInput(5) != found->corrects) {
    return c.error() << "expected an update_rule of linear, gated, delta or "
                        "gated_delta, with a decay if it is gated and a beta "
                        "if it has a delta, got '"
                     << ruleName << "'";
  }
  rule = *found;
  bool areSequences = heads > 0 && queryHeads > 0 && queryHeads % heads == 0 &&
                      c.inputType(0).getNumElements() > 0;
  for (size_t i : {0, 1, 2, 4, 5}) {
    areSequences &= !c.hasInput(i) ||
                    (c.inputType(i).getRank() == 3 &&
                     isa<FloatType>(c.inputType(i).getElementType()) &&
                     shapeOf(i).take_front(2) == shapeOf(0).take_front(2));
  }
  if (areSequences) {
    keySize = shapeOf(0)[2] / queryHeads;
    valueSize = shapeOf(2)[2] / heads;
  }
  bool fits = areSequences && shapeOf(0)[2] == keySize * queryHeads &&
              shapeOf(1)[2] == keySize * heads &&
              shapeOf(2)[2] == valueSize * heads;
  if (fits && rule.decays) {
    fits = shapeOf(4)[2] == heads || shapeOf(4)[2] == heads * keySize;
  }
  if (fits && rule.corrects) {
    fits = shapeOf(5)[2] == heads || shapeOf(5)[2] == 1;
  }
  if (!fits) {
    return c.error() << "expected sequences (n, length, heads x size) of "
                     << queryHeads << " heads of queries and " << heads
                     << " of keys and values";
  }
  Type element = c.inputType(0).getElementType();
  stateType = RankedTensorType::get(
      {samples(), heads, keySize, valueSize},
      element.getIntOrFloatBitWidth() < 32 ? c.builder.getF32Type() : element);
  if (c.hasInput(3) && shapeOf(3) != stateType.getShape()) {
    return c.error() << "expected a past_state of shape "
                     << stateType.clone(c.inputType(3).getElementType())
                     << ", got " << c.inputType(3);
  }
  return success();
}

/// Input `i`, (n, length, count x size), as (n, count, length, size).
Value LinearAttention::unpack(size_t i, int64_t count) const {
  Value wide = c.cast(c.input(i), stateType.getElementType());
  return c.transpose(
      c.reshape(wide, {samples(), length(), count, shapeOf(i)[2] / count}),
      {0, 2, 1, 3});
}

/// (n, count, size)
Value LinearAttention::at(Value unpacked, int64_t position) const {
  ArrayRef<int64_t> shape = c.typeOf(unpacked).getShape();
  Value part = c.slice(unpacked, {0, 0, position, 0},
                       {shape[0], shape[1], 1, shape[3]}, {1, 1, 1, 1});
  return c.reshape(part, {shape[0], shape[1], shape[3]});
}

Value LinearAttention::update(Value state, int64_t position) const {
  ArrayRef<int64_t> shape = stateType.getShape();
  Formula f(c, stateType);
  auto perKey = [&](Value each) {
    int64_t size = c.typeOf(each).getDimSize(2);
    return broadcastTo(c, c.reshape(each, {samples(), heads, size, 1}), shape);
  };
  if (rule.decays) {
    state = f.mul(state, perKey(f.exp(at(decay, position))));
  }
  Value keys = perKey(at(key, position)), added = at(value, position);
  if (rule.corrects) {
    Value known = ReduceSumOp::create(c.builder, c.loc, c.typeOf(added),
                                      f.mul(state, keys), ArrayRef<int64_t>{2});
    Value share =
        broadcastTo(c, at(beta, position), c.typeOf(added).getShape());
    added = f.mul(share, f.sub(added, known));
  }
  Value values =
      broadcastTo(c, c.reshape(added, {samples(), heads, 1, valueSize}), shape);
  return f.add(state, f.mul(keys, values));
}

/// What the queries of one position read, (n, query heads, 1, e): those that
/// share a head are rows of one product.
Value LinearAttention::readState(Value state, int64_t position) const {
  int64_t shared = queryHeads / heads;
  Value rows =
      c.reshape(at(query, position), {samples(), heads, shared, keySize});
  Value read = MatmulOp::create(
      c.builder, c.loc, stateType.clone({samples(), heads, shared, valueSize}),
      rows, state, /*transposeLhs=*/false, /*transposeRhs=*/false);
  return c.reshape(read, {samples(), queryHeads, 1, valueSize});
}

LogicalResult LinearAttention::run() {
  if (failed(check())) {
    return failure();
  }
  query = unpack(0, queryHeads);
  key = unpack(1, heads);
  value = unpack(2, heads);
  if (rule.decays) {
    decay = unpack(4, heads);
  }
  if (rule.corrects) {
    beta = unpack(5, shapeOf(5)[2]);
  }
  Type element = c.inputType(0).getElementType();
  Type kept = c.hasInput(3) ? c.inputType(3).getElementType() : element;
  Value state = c.hasInput(3) ? c.cast(c.input(3), stateType.getElementType())
                              : c.makeConstant(stateType, 0);
  SmallVector<Value> outputs;
  for (int64_t position = 0; position < length(); ++position) {
    state = update(state, position);
    outputs.push_back(readState(state, position));
  }
  double scale = c.getFloat("scale", 0);
  scale = scale == 0 ? 1 / std::sqrt(static_cast<double>(keySize)) : scale;
  Value all = c.concat(outputs, 2);
  all = Formula(c, c.typeOf(all)).scale(scale, all);
  all = c.reshape(c.transpose(all, {0, 2, 1, 3}),
                  {samples(), length(), queryHeads * valueSize});
  c.setResult(0, c.cast(all, element));
  c.setResult(1, c.cast(state, kept));
  return success();
}

} // namespace

LogicalResult convertCausalConvWithState(NodeConversion &c) {
  if (failed(checkCausalConv(c))) {
    return failure();
  }
  RankedTensorType type = c.inputType(0);
  int64_t samples = type.getDimSize(0), channels = type.getDimSize(1),
          length = type.getDimSize(2), size = c.inputType(1).getDimSize(2);
  Value padded = c.input(0);
  RankedTensorType state = type.clone({samples, channels, size - 1});
  if (size > 1) {
    Value past = c.hasInput(3) ? c.input(3) : c.makeConstant(state, 0);
    padded = c.concat({past, padded}, 2);
  }
  WindowAxis axis{length + size - 1, size};
  axis.count = length;
  Value result = convolveEach(c, toChannelsLast(c, padded),
                              c.reshape(c.input(1), {channels, size}), axis);
  Formula f(c, c.typeOf(result));
  if (c.hasInput(2)) {
    result =
        f.add(result, broadcastTo(c, c.input(2), c.typeOf(result).getShape()));
  }
  if (c.getString("activation", "none") != "none") {
    result = f.mul(result, f.sigmoid(result));
  }
  c.setResult(0, toChannelsFirst(c, result));
  if (c.isResultUsed(1)) {
    c.setResult(1,
                c.slice(padded, {0, 0, length}, state.getShape(), {1, 1, 1}));
  }
  return success();
}

LogicalResult convertLinearAttention(NodeConversion &c) {
  return LinearAttention(c).run();
}

} // namespace accel::onnx
