// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A comparison and a choice, whose gradient goes to what was chosen.
#include "frontends/onnx/Builders/Bounds.h"

#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Model/Metadata.h"

using namespace mlir;

namespace accel::onnx {

/// The number that `value` is known to be in all elements, if it is.
static std::optional<double> findNumber(const NodeConversion &c, Value value) {
  if (!value || NodeConversion::typeOf(value).getNumElements() != 1 ||
      !c.state.known.isKnown(value)) {
    return std::nullopt;
  }
  return c.state.known.evaluate(value).getAsDouble(0);
}

/// Whether an element at its bound has no gradient. Without the text of the
/// call bounds of 0 and 6 are those of relu6.
static bool stopsAtBound(const NodeConversion &c) {
  if (std::optional<FxCall> call = getFxCall(c.node)) {
    return call->isAten({"hardtanh", "relu6", "hardtanh_", "relu6_"});
  }
  return c.node.op_type() == "Clip" && c.hasInput(1) && c.hasInput(2) &&
         findNumber(c, c.input(1)) == 0.0 && findNumber(c, c.input(2)) == 6.0;
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
  if (!isa<FloatType>(type.getElementType())) {
    return isLeast
               ? MaxOp::create(c.builder, c.loc, type, value, bound).getResult()
               : MinOp::create(c.builder, c.loc, type, value, bound)
                     .getResult();
  }
  ComparePredicate beyond =
      isLeast ? ComparePredicate::LT : ComparePredicate::GT;
  if (stopsAtBound(c)) {
    beyond = isLeast ? ComparePredicate::LE : ComparePredicate::GE;
  }
  // What is no number is beyond nothing, and stays.
  Formula f(c, type);
  return f.select(f.compare(beyond, value, bound), bound, value);
}

} // namespace accel::onnx
