// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of activations, written with the dialect's arithmetic. Where a
// function has a kink the branches are chosen as PyTorch chooses them, so that
// gradients there are PyTorch's; no branch that is not chosen computes
// infinities, whose gradient would be NaN.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// `x` where it is positive, `other` elsewhere.
Value positiveOr(const Formula &f, Value x, Value other) {
  return f.select(f.greater(x, f.number(0)), x, other);
}

/// exp(x) - 1 where x is not positive, 0 elsewhere.
Value growth(const Formula &f, Value x) {
  Value zero = f.number(0);
  Value low = f.select(f.greater(x, zero), zero, x);
  return f.sub(f.exp(low), f.number(1));
}

/// From where on log(1 + exp(x)) is x: in f16 before exp(x) overflows.
double getSoftplusEnd(Value x) {
  return NodeConversion::typeOf(x).getElementType().isF16() ? 11 : 20;
}

Value makeSoftplus(const Formula &f, Value x) {
  Value large = f.greater(x, f.number(getSoftplusEnd(x)));
  Value small = f.select(large, f.number(0), x);
  return f.select(large, x, f.log(f.add(f.number(1), f.exp(small))));
}

Value makeLeakyRelu(const NodeConversion &c, const Formula &f, Value x) {
  return positiveOr(f, x, f.scale(c.getFloat("alpha", 0.01), x));
}
Value makeElu(const NodeConversion &c, const Formula &f, Value x) {
  return positiveOr(f, x, f.scale(c.getFloat("alpha", 1), growth(f, x)));
}
Value makeSelu(const NodeConversion &c, const Formula &f, Value x) {
  double alpha = c.getFloat("alpha", 1.67326319217681884765625);
  return f.scale(c.getFloat("gamma", 1.05070102214813232421875),
                 positiveOr(f, x, f.scale(alpha, growth(f, x))));
}
Value makeCelu(const NodeConversion &c, const Formula &f, Value x) {
  double alpha = c.getFloat("alpha", 1);
  Value low = growth(f, f.div(x, f.number(alpha)));
  return positiveOr(f, x, f.scale(alpha, low));
}
Value makeSoftplusOf(const NodeConversion &, const Formula &f, Value x) {
  return makeSoftplus(f, x);
}
Value makeSoftsign(const NodeConversion &, const Formula &f, Value x) {
  return f.div(x, f.add(f.number(1), f.abs(x)));
}
Value makeMish(const NodeConversion &, const Formula &f, Value x) {
  return f.mul(x, f.tanh(makeSoftplus(f, x)));
}
Value makeSwish(const NodeConversion &c, const Formula &f, Value x) {
  return f.mul(x, f.sigmoid(f.scale(c.getFloat("alpha", 1), x)));
}
Value makeHardSwish(const NodeConversion &, const Formula &f, Value x) {
  Value inside = f.mul(x, f.add(f.div(x, f.number(6)), f.number(0.5)));
  Value isLow = f.compare(ComparePredicate::LE, x, f.number(-3));
  Value isHigh = f.compare(ComparePredicate::GE, x, f.number(3));
  return f.select(isHigh, x, f.select(isLow, f.number(0), inside));
}
Value makeHardSigmoid(const NodeConversion &c, const Formula &f, Value x) {
  Value zero = f.number(0), one = f.number(1);
  Value line = f.add(f.scale(c.getFloat("alpha", 0.2), x),
                     f.number(c.getFloat("beta", 0.5)));
  Value low = f.select(f.greater(line, zero), line, zero);
  return f.select(f.less(low, one), low, one);
}
Value makeThresholdedRelu(const NodeConversion &c, const Formula &f, Value x) {
  Value passes = f.greater(x, f.number(c.getFloat("alpha", 1)));
  return f.select(passes, x, f.number(0));
}
Value makeShrink(const NodeConversion &c, const Formula &f, Value x) {
  double lambd = c.getFloat("lambd", 0.5);
  Value bias = f.number(c.getFloat("bias", 0));
  Value high =
      f.select(f.greater(x, f.number(lambd)), f.sub(x, bias), f.number(0));
  return f.select(f.less(x, f.number(-lambd)), f.add(x, bias), high);
}

using ActivationMaker = Value (*)(const NodeConversion &, const Formula &,
                                  Value);
/// Null for an operator that has no case here.
ActivationMaker findActivation(StringRef name) {
  return llvm::StringSwitch<ActivationMaker>(name)
      .Case("Celu", makeCelu)
      .Case("Elu", makeElu)
      .Case("HardSigmoid", makeHardSigmoid)
      .Case("HardSwish", makeHardSwish)
      .Case("LeakyRelu", makeLeakyRelu)
      .Case("Mish", makeMish)
      .Case("Selu", makeSelu)
      .Case("Shrink", makeShrink)
      .Case("Softplus", makeSoftplusOf)
      .Case("Softsign", makeSoftsign)
      .Case("Swish", makeSwish)
      .Case("ThresholdedRelu", makeThresholdedRelu)
      .Default(nullptr);
}

LogicalResult checkFloats(NodeConversion &c) {
  for (size_t i = 0; i < c.inputCount(); ++i) {
    if (!isa<FloatType>(c.inputType(i).getElementType()) ||
        c.inputType(i).getElementType() != c.inputType(0).getElementType()) {
      return c.error() << "expected float tensors of one element type, got "
                       << c.inputType(i);
    }
  }
  return success();
}

} // namespace

LogicalResult convertSwiGlu(NodeConversion &c) {
  if (failed(checkFloats(c))) {
    return failure();
  }
  if (c.inputType(0) != c.inputType(1)) {
    return c.error() << "expected a gate and values of one shape, got "
                     << c.inputType(0) << " and " << c.inputType(1);
  }
  Formula f(c, c.inputType(0));
  c.setResult(0, f.mul(makeSwish(c, f, c.input(0)), c.input(1)));
  return success();
}

LogicalResult convertActivation(NodeConversion &c) {
  ActivationMaker make = findActivation(c.node.op_type());
  if (!make) {
    return c.error() << "expected an activation that its converter has a case "
                        "for, got '"
                     << c.node.op_type()
                     << "': add the case to ActivationOps.cpp";
  }
  if (failed(checkFloats(c))) {
    return failure();
  }
  c.setResult(0, make(c, Formula(c, c.inputType(0)), c.input(0)));
  return success();
}

LogicalResult convertPRelu(NodeConversion &c) {
  if (failed(checkFloats(c))) {
    return failure();
  }
  FailureOr<SmallVector<int64_t>> shape =
      getCommonShape(c, {c.inputType(0).getShape(), c.inputType(1).getShape()});
  if (failed(shape)) {
    return failure();
  }
  if (*shape != c.inputType(0).getShape()) {
    return c.error() << "expected a slope that repeats to " << c.inputType(0)
                     << ", got " << c.inputType(1);
  }
  Formula f(c, c.inputType(0));
  Value slope = broadcastTo(c, c.input(1), *shape);
  c.setResult(0, positiveOr(f, c.input(0), f.mul(slope, c.input(0))));
  return success();
}

} // namespace accel::onnx
