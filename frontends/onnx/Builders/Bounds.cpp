// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A comparison and a choice, whose gradient goes to what was chosen.
#include "frontends/onnx/Builders/Bounds.h"

#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Model/Metadata.h"

using namespace mlir;

namespace accel::onnx {

/// The version since which an element at a bound of `clamp` that is a number
/// has no gradient, and shares it with a bound that is a tensor; up to then it
/// had all of it.
static const llvm::VersionTuple kSharingClamp(2, 14);

/// The number that `value` is known to be in all elements, if it is.
static std::optional<double> findNumber(const NodeConversion &c, Value value) {
  if (!value || NodeConversion::typeOf(value).getNumElements() != 1 ||
      !c.state.known.isKnown(value)) {
    return std::nullopt;
  }
  return c.state.known.evaluate(value).getAsDouble(0);
}

/// Where the gradient of an element that is equal to its bound goes.
enum class AtBound { ToElement, ToBound, ToBoth };

/// Whether the text of a call of `clamp` has a number there: PyTorch makes
/// numbers tensors.
static bool isNumber(const FxCall &call, BoundSide side) {
  bool isSecond = side == BoundSide::Most && call.isAten("clamp");
  StringRef text = call.getArgument(isSecond ? 2 : 1,
                                    side == BoundSide::Most ? "max" : "min");
  return !text.starts_with("%") || text.starts_with("%scalar_tensor_default");
}

/// Without the text of the call bounds of 0 and 6 are those of relu6.
static bool isRelu6(const NodeConversion &c) {
  return c.node.op_type() == "Clip" && c.hasInput(1) && c.hasInput(2) &&
         findNumber(c, c.input(1)) == 0.0 && findNumber(c, c.input(2)) == 6.0;
}

static AtBound findGradientAtBound(const NodeConversion &c, Value bound,
                                   BoundSide side) {
  std::optional<FxCall> call = getFxCall(c.node);
  if (call ? call->isAten({"hardtanh", "relu6", "hardtanh_", "relu6_"})
           : isRelu6(c)) {
    return AtBound::ToBound;
  }
  if (!c.state.pytorch || *c.state.pytorch < kSharingClamp) {
    return AtBound::ToElement;
  }
  bool isOfNumber = call ? isNumber(*call, side) : c.state.known.isKnown(bound);
  return isOfNumber ? AtBound::ToBound : AtBound::ToBoth;
}

bool isBound(NodeConversion &c) {
  StringRef op = c.node.op_type();
  if ((op != "Max" && op != "Min") || c.inputCount() != 2 ||
      !isa<FloatType>(c.inputType(0).getElementType())) {
    return false;
  }
  if (std::optional<FxCall> call = getFxCall(c.node)) {
    return call->isAten(
        {"clamp", "clamp_min", "clamp_max", "clip", "hardtanh", "relu6"});
  }
  return findNumber(c, c.input(0)) || findNumber(c, c.input(1));
}

Value makeBound(const NodeConversion &c, Value value, Value bound,
                BoundSide side) {
  bool isLeast = side == BoundSide::Least;
  RankedTensorType type = NodeConversion::typeOf(value);
  AtBound gradient = findGradientAtBound(c, bound, side);
  // Integers have none.
  if (!isa<FloatType>(type.getElementType()) || gradient == AtBound::ToBoth) {
    return isLeast
               ? MaxOp::create(c.builder, c.loc, type, value, bound).getResult()
               : MinOp::create(c.builder, c.loc, type, value, bound)
                     .getResult();
  }
  ComparePredicate beyond =
      gradient == AtBound::ToBound
          ? (isLeast ? ComparePredicate::LE : ComparePredicate::GE)
          : (isLeast ? ComparePredicate::LT : ComparePredicate::GT);
  // What is no number is beyond nothing, and stays.
  Formula f(c, type);
  return f.select(f.compare(beyond, value, bound), bound, value);
}

} // namespace accel::onnx
