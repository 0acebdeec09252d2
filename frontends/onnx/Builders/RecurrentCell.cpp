// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The three cells, by ONNX's formulas. A state of zeros, which is what most
// models begin with, is not multiplied by anything.
#include "frontends/onnx/Builders/RecurrentCell.h"

#include "frontends/onnx/Builders/Broadcasting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

using Activation = Value (*)(const Formula &f, Value x);

Value makeSigmoid(const Formula &f, Value x) { return f.sigmoid(x); }
Value makeTanh(const Formula &f, Value x) { return f.tanh(x); }
Value makeRelu(const Formula &f, Value x) {
  return f.select(f.greater(x, f.number(0)), x, f.number(0));
}
Value makeSoftsign(const Formula &f, Value x) {
  return f.div(x, f.add(f.number(1), f.abs(x)));
}
/// 0.2 x + 0.5 between 0 and 1; the parameters cannot be given.
Value makeHardSigmoid(const Formula &f, Value x) {
  return f.clip(f.add(f.scale(0.2, x), f.number(0.5)), 0, 1);
}

struct NamedActivation {
  llvm::StringLiteral name; ///< in small letters: ONNX ignores case here
  Activation make;
};
constexpr NamedActivation activations[] = {{"hardsigmoid", makeHardSigmoid},
                                           {"relu", makeRelu},
                                           {"sigmoid", makeSigmoid},
                                           {"softsign", makeSoftsign},
                                           {"tanh", makeTanh}};

/// What all cells share.
class Cell : public RecurrentCell {
public:
  Cell(const NodeConversion &c, const RecurrentWeights &weights, int64_t batch,
       ArrayRef<Activation> functions)
      : c(c), weights(weights), functions(functions),
        f(c, c.typeOf(weights.recurrent).clone({batch, weights.hidden})),
        limit(c.getFloat("clip", 0.0)) {}

  Value getOuterBias() const override {
    return weights.inputBias ? addTo(weights.inputBias, weights.recurrentBias)
                             : Value();
  }

protected:
  Value addTo(Value lhs, Value rhs) const {
    return AddOp::create(c.builder, c.loc, lhs.getType(), lhs, rhs);
  }
  /// What the state adds to the gates; `products` alone if it is zero.
  Value addState(Value products, Value hidden, Value recurrent) const {
    return hidden ? addTo(multiplyByTranspose(c, hidden, recurrent), products)
                  : products;
  }
  /// Of what `clip`, if the node has one, leaves of x.
  Value apply(size_t number, Value x) const {
    return activate(number, limit > 0.0 ? f.clip(x, -limit, limit) : x);
  }
  Value activate(size_t number, Value x) const {
    return functions[number](f, x);
  }

  const NodeConversion &c;
  RecurrentWeights weights;
  SmallVector<Activation> functions;
  Formula f;    ///< of (B, H)
  double limit; ///< `clip`; 0: none
};

/// h' = f(x W' + h R' + b)
class RnnCell : public Cell {
public:
  using Cell::Cell;
  RecurrentState step(Value products, RecurrentState before) const override {
    Value sum = addState(products, before.hidden, weights.recurrent);
    return {apply(0, sum), Value()};
  }
};

/// Gates i, o, f, c: c' = f c + i g(..), h' = o h(c'). Peepholes let i and f
/// see c, and o see c'. With `input_forget` f is 1 - i. ONNX Runtime clips what
/// gates and g get, not what h gets of the cell.
class LstmCell : public Cell {
public:
  LstmCell(const NodeConversion &c, const RecurrentWeights &weights,
           int64_t batch, ArrayRef<Activation> functions)
      : Cell(c, weights, batch, functions),
        isCoupled(c.getInt("input_forget", 0) != 0) {
    if (weights.peepholes) {
      for (Value part : splitEvenly(c, weights.peepholes, 0, 3)) {
        peepholes.push_back(broadcastTo(c, part, {batch, weights.hidden}));
      }
    }
  }

  RecurrentState step(Value products, RecurrentState before) const override {
    SmallVector<Value> gates = splitEvenly(
        c, addState(products, before.hidden, weights.recurrent), 1, 4);
    Value in = apply(0, show(gates[0], 0, before.cell));
    Value cell = f.mul(in, apply(1, gates[3]));
    if (before.cell) {
      Value forget = isCoupled ? f.sub(f.number(1), in)
                               : apply(0, show(gates[2], 2, before.cell));
      cell = f.add(f.mul(forget, before.cell), cell);
    }
    Value out = apply(0, show(gates[1], 1, cell));
    return {f.mul(out, activate(2, cell)), cell};
  }

private:
  /// The gate with what its peephole shows it of `cell`.
  Value show(Value gate, size_t number, Value cell) const {
    return cell && !peepholes.empty()
               ? f.add(gate, f.mul(peepholes[number], cell))
               : gate;
  }

  bool isCoupled;
  SmallVector<Value> peepholes; ///< of i, o and f, (B, H); empty without
};

/// Gates z, r, h: h' = (1 - z) g(..) + z h. With `isLinearFirst` the reset
/// gate stands behind the product with h, as in PyTorch, else before it.
class GruCell : public Cell {
public:
  GruCell(const NodeConversion &c, const RecurrentWeights &weights,
          int64_t batch, ArrayRef<Activation> functions)
      : Cell(c, weights, batch, functions),
        isLinearFirst(c.getInt("linear_before_reset", 0) != 0) {
    int64_t h = weights.hidden;
    if (!isLinearFirst) {
      updateAndReset = c.slice(weights.recurrent, {0, 0}, {2 * h, h}, {1, 1});
      candidate = c.slice(weights.recurrent, {2 * h, 0}, {h, h}, {1, 1});
    } else if (weights.recurrentBias) {
      candidateBias = broadcastTo(
          c, c.slice(weights.recurrentBias, {2 * h}, {h}, {1}), {batch, h});
    }
  }

  Value getOuterBias() const override {
    if (!candidateBias) {
      return Cell::getOuterBias();
    }
    int64_t h = weights.hidden;
    Value gates = c.slice(weights.recurrentBias, {0}, {2 * h}, {1});
    Value none = c.makeConstant(c.typeOf(gates).clone({h}), 0.0);
    return addTo(weights.inputBias, c.concat({gates, none}, 0));
  }

  RecurrentState step(Value products, RecurrentState before) const override {
    SmallVector<Value> inputs = splitEvenly(c, products, 1, 3);
    return {isLinearFirst ? stepLinearFirst(inputs, before.hidden)
                          : stepResetFirst(products, inputs[2], before.hidden),
            Value()};
  }

private:
  Value stepLinearFirst(ArrayRef<Value> inputs, Value hidden) const {
    SmallVector<Value> own(3);
    if (hidden) {
      own = splitEvenly(c, multiplyByTranspose(c, hidden, weights.recurrent), 1,
                        3);
    }
    auto sum = [&](Value lhs, Value rhs) {
      return rhs ? f.add(lhs, rhs) : lhs;
    };
    Value update = apply(0, sum(inputs[0], own[0]));
    Value reset = apply(0, sum(inputs[1], own[1]));
    Value linear = own[2] && candidateBias ? f.add(own[2], candidateBias)
                   : own[2]                ? own[2]
                                           : candidateBias;
    Value inside = linear ? f.add(inputs[2], f.mul(reset, linear)) : inputs[2];
    return mix(update, apply(1, inside), hidden);
  }

  Value stepResetFirst(Value products, Value input, Value hidden) const {
    int64_t batch = c.typeOf(products).getDimSize(0), h = weights.hidden;
    Value both = c.slice(products, {0, 0}, {batch, 2 * h}, {1, 1});
    SmallVector<Value> gates =
        splitEvenly(c, addState(both, hidden, updateAndReset), 1, 2);
    Value update = apply(0, gates[0]);
    Value kept = hidden ? f.mul(apply(0, gates[1]), hidden) : Value();
    return mix(update, apply(1, addState(input, kept, candidate)), hidden);
  }

  Value mix(Value update, Value fresh, Value hidden) const {
    Value part = f.mul(f.sub(f.number(1), update), fresh);
    return hidden ? f.add(part, f.mul(update, hidden)) : part;
  }

  bool isLinearFirst;
  Value updateAndReset, candidate; ///< of `recurrent`, if the reset is first
  Value candidateBias;             ///< (B, H), if the product is first
};

/// The direction's activations, by default those of the operator.
FailureOr<SmallVector<Activation>>
getActivations(const NodeConversion &c, int64_t gates, int64_t direction) {
  size_t count = gates == 4 ? 3 : gates == 3 ? 2 : 1;
  const pb::AttributeProto *given = c.findAttribute("activations");
  SmallVector<Activation> functions;
  if (!given) {
    functions = gates == 1
                    ? SmallVector<Activation>{makeTanh}
                    : SmallVector<Activation>{makeSigmoid, makeTanh, makeTanh};
    functions.truncate(count);
    return functions;
  }
  size_t begin = static_cast<size_t>(direction) * count;
  for (size_t i = begin; i < begin + count; ++i) {
    std::string name = static_cast<int>(i) < given->strings_size()
                           ? given->strings(static_cast<int>(i))
                           : std::string();
    const auto *found = llvm::find_if(activations, [&](const auto &each) {
      return each.name == StringRef(name).lower();
    });
    if (found == std::end(activations)) {
      return c.error() << "expected for each direction " << count
                       << " of the activations Sigmoid, Tanh, Relu, Softsign "
                          "and HardSigmoid, got '"
                       << name
                       << "'; write the loop over time with torch.unbind";
    }
    functions.push_back(found->make);
  }
  return functions;
}

} // namespace

FailureOr<std::unique_ptr<RecurrentCell>>
makeRecurrentCell(const NodeConversion &c, const RecurrentWeights &weights,
                  int64_t batch, int64_t direction) {
  FailureOr<SmallVector<Activation>> functions =
      getActivations(c, weights.gates, direction);
  if (failed(functions)) {
    return failure();
  }
  if (c.findAttribute("clip") && !(c.getFloat("clip", 0.0) > 0.0)) {
    return c.error() << "expected a clip above 0, got "
                     << c.getFloat("clip", 0.0)
                     << "; leave it out where nothing is to be clipped";
  }
  std::unique_ptr<RecurrentCell> cell;
  if (weights.gates == 4) {
    cell = std::make_unique<LstmCell>(c, weights, batch, *functions);
  } else if (weights.gates == 3) {
    cell = std::make_unique<GruCell>(c, weights, batch, *functions);
  } else {
    cell = std::make_unique<RnnCell>(c, weights, batch, *functions);
  }
  return cell;
}

Value multiplyByTranspose(const NodeConversion &c, Value lhs, Value rhs) {
  RankedTensorType left = c.typeOf(lhs);
  return MatmulOp::create(
      c.builder, c.loc,
      left.clone({left.getDimSize(0), c.typeOf(rhs).getDimSize(0)}), lhs, rhs,
      /*transposeLhs=*/false, /*transposeRhs=*/true);
}

SmallVector<Value> splitEvenly(const NodeConversion &c, Value value,
                               int64_t axis, int64_t count) {
  if (count == 1) {
    return {value};
  }
  int64_t size = c.typeOf(value).getDimSize(axis) / count;
  auto split = SplitOp::create(c.builder, c.loc, value, axis,
                               SmallVector<int64_t>(count, size));
  return SmallVector<Value>(split.getResults());
}

} // namespace accel::onnx
