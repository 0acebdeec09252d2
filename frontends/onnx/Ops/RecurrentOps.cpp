// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of LSTM, GRU and RNN. The inputs of all steps are multiplied at
// once; the loop over time is unrolled, since the number of steps is known, and
// what repeats in it is one kernel.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/RecurrentCell.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// One node: layout 0 inside, (T, B, ..) and (directions, B, H).
class Recurrence {
public:
  Recurrence(NodeConversion &c, int64_t gates) : c(c), gates(gates) {}

  LogicalResult run() {
    if (failed(checkShapes()) || failed(readLengths())) {
      return failure();
    }
    SmallVector<SmallVector<Value>> outputs; // by direction, then by step
    SmallVector<RecurrentState> ends;
    for (int64_t d = 0; d < directions; ++d) {
      FailureOr<RecurrentState> end = runDirection(d, outputs.emplace_back());
      if (failed(end)) {
        return failure();
      }
      ends.push_back(*end);
    }
    setResults(outputs, ends);
    return success();
  }

private:
  LogicalResult checkShapes();
  LogicalResult checkInput(size_t i, ArrayRef<int64_t> shape, StringRef name);
  LogicalResult readLengths();
  FailureOr<RecurrentState> runDirection(int64_t d,
                                         SmallVector<Value> &outputs);
  void setResults(ArrayRef<SmallVector<Value>> outputs,
                  ArrayRef<RecurrentState> ends);

  bool isReverse(int64_t d) const {
    return d == 1 || c.getString("direction", "forward") == "reverse";
  }
  /// The row of `value` that belongs to direction `d`, without its dimension.
  Value takeDirection(Value value, int64_t d) const {
    SmallVector<int64_t> shape(c.typeOf(value).getShape());
    SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
    offsets[0] = d;
    shape[0] = 1;
    Value row = c.slice(value, offsets, shape, strides);
    return c.reshape(row, ArrayRef<int64_t>(shape).drop_front());
  }
  /// A state that the node is given for direction `d`; null if it is zero.
  Value getInitial(size_t i, int64_t d) const;
  RecurrentWeights getWeights(int64_t d) const;
  /// (T * B, gates * H).
  Value multiplyInputs(const RecurrentWeights &weights,
                       const RecurrentCell &cell) const;
  /// (B, H): whether the samples reach step `t`. Null if all do.
  Value reaches(int64_t t) const;
  /// `value` where a sample reaches its step, `otherwise` (null: 0) elsewhere.
  Value keep(Value reached, Value value, Value otherwise) const {
    if (!otherwise) {
      otherwise = c.makeConstant(c.typeOf(value), 0.0);
    }
    return SelectOp::create(c.builder, c.loc, value.getType(), reached, value,
                            otherwise);
  }
  /// Values of steps or directions, as one with a dimension of them in front.
  Value stack(ArrayRef<Value> values) const {
    SmallVector<Value> rows;
    for (Value value : values) {
      SmallVector<int64_t> shape(c.typeOf(value).getShape());
      shape.insert(shape.begin(), 1);
      rows.push_back(c.reshape(value, shape));
    }
    return c.concat(rows, 0);
  }

  NodeConversion &c;
  int64_t gates, directions = 1, steps = 0, batch = 0, inputs = 0, hidden = 0;
  bool isBatchFirst = false;
  Value lengths; ///< (B), or null
  int64_t shortest = 0;
};

LogicalResult Recurrence::checkInput(size_t i, ArrayRef<int64_t> shape,
                                     StringRef name) {
  if (!c.hasInput(i)) {
    return success();
  }
  RankedTensorType wanted = c.inputType(0).clone(shape);
  if (c.inputType(i) != wanted) {
    return c.error() << "expected " << name << " of type " << wanted << ", got "
                     << c.inputType(i);
  }
  return success();
}

LogicalResult Recurrence::checkShapes() {
  StringRef direction = c.getString("direction", "forward");
  directions = direction == "bidirectional" ? 2 : 1;
  isBatchFirst = c.getInt("layout", 0) != 0;
  RankedTensorType x = c.inputType(0), r = c.inputType(2);
  if (!llvm::is_contained({"forward", "reverse", "bidirectional"}, direction)) {
    return c.error() << "expected a direction among 'forward', 'reverse', "
                        "'bidirectional', got '"
                     << direction << "'";
  }
  if (x.getRank() != 3 || r.getRank() != 3 ||
      !isa<FloatType>(x.getElementType())) {
    return c.error() << "expected floats of 3 dimensions as X and R, got " << x
                     << " and " << r;
  }
  steps = x.getDimSize(isBatchFirst ? 1 : 0);
  batch = x.getDimSize(isBatchFirst ? 0 : 1);
  inputs = x.getDimSize(2);
  hidden = r.getDimSize(2);
  int64_t said = c.getInt("hidden_size", hidden), rows = gates * hidden;
  if (said != hidden) {
    return c.error() << "expected a hidden_size of " << hidden
                     << ", that of R, got " << said;
  }
  SmallVector<int64_t> state = isBatchFirst
                                   ? SmallVector<int64_t>{batch, directions}
                                   : SmallVector<int64_t>{directions, batch};
  state.push_back(hidden);
  return success(succeeded(checkInput(1, {directions, rows, inputs}, "W")) &&
                 succeeded(checkInput(2, {directions, rows, hidden}, "R")) &&
                 succeeded(checkInput(3, {directions, 2 * rows}, "B")) &&
                 succeeded(checkInput(5, state, "initial_h")) &&
                 succeeded(checkInput(6, state, "initial_c")) &&
                 succeeded(checkInput(7, {directions, 3 * hidden}, "P")));
}

/// Lengths that are known to be the number of steps say nothing.
LogicalResult Recurrence::readLengths() {
  if (!c.hasInput(4)) {
    return success();
  }
  RankedTensorType type = c.inputType(4);
  if (!c.isIndexTensor(type) || type.getShape() != ArrayRef<int64_t>{batch}) {
    return c.error() << "expected " << batch
                     << " integers as sequence_lens, got " << type;
  }
  auto known = c.state.known.evaluateIntegers(c.input(4));
  if (known && llvm::any_of(*known, [&](int64_t length) {
        return length < 0 || length > steps;
      })) {
    return c.error() << "expected sequence_lens from 0 to " << steps
                     << ", the number of steps, got others";
  }
  shortest = known ? *llvm::min_element(*known) : 0;
  lengths = shortest == steps ? Value() : c.input(4);
  return success();
}

Value Recurrence::getInitial(size_t i, int64_t d) const {
  if (!c.hasInput(i)) {
    return {};
  }
  HostTensor known = c.state.known.isKnown(c.input(i))
                         ? c.state.known.evaluate(c.input(i))
                         : HostTensor();
  bool isZero = static_cast<bool>(known);
  for (int64_t e = 0; isZero && e < known.getNumElements(); ++e) {
    isZero = known.getAsDouble(e) == 0.0;
  }
  if (isZero) {
    return {};
  }
  Value states = isBatchFirst ? c.transpose(c.input(i), {1, 0, 2}) : c.input(i);
  return takeDirection(states, d);
}

RecurrentWeights Recurrence::getWeights(int64_t d) const {
  RecurrentWeights weights;
  weights.gates = gates;
  weights.hidden = hidden;
  weights.input = takeDirection(c.input(1), d);
  weights.recurrent = takeDirection(c.input(2), d);
  if (c.hasInput(3)) {
    SmallVector<Value> halves =
        splitEvenly(c, takeDirection(c.input(3), d), 0, 2);
    weights.inputBias = halves[0];
    weights.recurrentBias = halves[1];
  }
  if (c.hasInput(7)) {
    weights.peepholes = takeDirection(c.input(7), d);
  }
  return weights;
}

Value Recurrence::multiplyInputs(const RecurrentWeights &weights,
                                 const RecurrentCell &cell) const {
  Value x = isBatchFirst ? c.transpose(c.input(0), {1, 0, 2}) : c.input(0);
  Value product = multiplyByTranspose(c, c.reshape(x, {steps * batch, inputs}),
                                      weights.input);
  if (Value bias = cell.getOuterBias()) {
    product = AddOp::create(c.builder, c.loc, product.getType(), product,
                            broadcastTo(c, bias, c.typeOf(product).getShape()));
  }
  return product;
}

Value Recurrence::reaches(int64_t t) const {
  if (!lengths || t < shortest) {
    return {};
  }
  RankedTensorType type = c.typeOf(lengths);
  Value reached = CompareOp::create(
      c.builder, c.loc, type.clone(c.builder.getI1Type()), ComparePredicate::GT,
      lengths, c.makeConstant(type, static_cast<double>(t)));
  return BroadcastOp::create(
      c.builder, c.loc,
      RankedTensorType::get({batch, hidden}, c.builder.getI1Type()), reached,
      ArrayRef<int64_t>{0});
}

/// Also in the reverse direction a sample's steps are those before its length:
/// until the loop comes to them its state stays as it was.
FailureOr<RecurrentState>
Recurrence::runDirection(int64_t d, SmallVector<Value> &outputs) {
  RecurrentWeights weights = getWeights(d);
  FailureOr<std::unique_ptr<RecurrentCell>> cell =
      makeRecurrentCell(c, weights, batch, d);
  if (failed(cell)) {
    return failure();
  }
  Value products = c.reshape(multiplyInputs(weights, **cell),
                             {steps, batch, gates * hidden});
  SmallVector<Value> parts = splitEvenly(c, products, 0, steps);
  RecurrentState state{getInitial(5, d), getInitial(6, d)};
  outputs.resize(steps);
  for (int64_t i = 0; i < steps; ++i) {
    int64_t t = isReverse(d) ? steps - 1 - i : i;
    RecurrentState next =
        (*cell)->step(c.reshape(parts[t], {batch, gates * hidden}), state);
    outputs[t] = next.hidden;
    if (Value reached = reaches(t)) {
      outputs[t] = keep(reached, next.hidden, Value());
      next.hidden = keep(reached, next.hidden, state.hidden);
      next.cell = next.cell ? keep(reached, next.cell, state.cell) : next.cell;
    }
    state = next;
  }
  return state;
}

void Recurrence::setResults(ArrayRef<SmallVector<Value>> outputs,
                            ArrayRef<RecurrentState> ends) {
  if (c.isResultUsed(0)) {
    SmallVector<Value> rows;
    for (int64_t t = 0; t < steps; ++t) {
      SmallVector<Value> both = llvm::map_to_vector(
          outputs, [&](const SmallVector<Value> &each) { return each[t]; });
      rows.push_back(stack(both));
    }
    Value all = stack(rows); // (T, directions, B, H)
    c.setResult(0, isBatchFirst ? c.transpose(all, {2, 0, 1, 3}) : all);
  }
  auto setState = [&](size_t i, Value RecurrentState::*member) {
    if (c.isResultUsed(i)) {
      Value all = stack(llvm::map_to_vector(
          ends, [&](const RecurrentState &each) { return each.*member; }));
      c.setResult(i, isBatchFirst ? c.transpose(all, {1, 0, 2}) : all);
    }
  };
  setState(1, &RecurrentState::hidden);
  setState(2, &RecurrentState::cell);
}

} // namespace

LogicalResult convertGru(NodeConversion &c) { return Recurrence(c, 3).run(); }
LogicalResult convertLstm(NodeConversion &c) { return Recurrence(c, 4).run(); }
LogicalResult convertRnn(NodeConversion &c) { return Recurrence(c, 1).run(); }

} // namespace accel::onnx
