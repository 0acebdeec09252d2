// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of element-wise operators: broadcasting made explicit, then one
// operation of the dialect.
#include "frontends/onnx/Builders/Bounds.h"
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/RandomDraws.h"
#include "frontends/onnx/Conversion/NarrowIntegers.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Model/Metadata.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;

namespace accel::onnx {
namespace {

template <typename Op> Value makeUnary(NodeConversion &c, Value operand) {
  return Op::create(c.builder, c.loc, operand.getType(), operand);
}
template <typename Op>
Value makeBinary(NodeConversion &c, Value lhs, Value rhs) {
  return Op::create(c.builder, c.loc, lhs.getType(), lhs, rhs);
}

bool isFloat(Value value) {
  return isa<FloatType>(NodeConversion::typeOf(value).getElementType());
}
bool isBoolean(Value value) {
  return NodeConversion::typeOf(value).getElementType().isInteger(1);
}

/// Neg and Abs of integers, which the dialect has for floats only.
FailureOr<Value> convertIntegerUnary(NodeConversion &c) {
  Value zero = c.makeConstant(c.inputType(0), 0);
  Value negative = makeBinary<SubOp>(c, zero, c.input(0));
  if (c.node.op_type() == "Neg") {
    return negative;
  }
  if (c.node.op_type() == "Abs") {
    return makeBinary<MaxOp>(c, c.input(0), negative);
  }
  return c.error() << "expected a float tensor, got " << c.inputType(0);
}

using UnaryMaker = Value (*)(NodeConversion &, Value);
/// Null for an operator that has no case here.
UnaryMaker findUnary(StringRef name) {
  return llvm::StringSwitch<UnaryMaker>(name)
      .Case("Abs", makeUnary<AbsOp>)
      .Case("Cos", makeUnary<CosOp>)
      .Case("Erf", makeUnary<ErfOp>)
      .Case("Exp", makeUnary<ExpOp>)
      .Case("Log", makeUnary<LogOp>)
      .Case("Neg", makeUnary<NegOp>)
      .Case("Relu", makeUnary<ReluOp>)
      .Case("Sigmoid", makeUnary<SigmoidOp>)
      .Case("Sin", makeUnary<SinOp>)
      .Case("Sqrt", makeUnary<SqrtOp>)
      .Case("Tanh", makeUnary<TanhOp>)
      .Default(nullptr);
}

using BinaryMaker = Value (*)(NodeConversion &, Value, Value);
/// Null for an operator that has no case here.
BinaryMaker findBinary(StringRef name) {
  return llvm::StringSwitch<BinaryMaker>(name)
      .Case("Add", makeBinary<AddOp>)
      .Case("And", makeBinary<AndOp>)
      .Case("Div", makeBinary<DivOp>)
      .Case("Max", makeBinary<MaxOp>)
      .Case("Min", makeBinary<MinOp>)
      .Case("Mul", makeBinary<MulOp>)
      .Case("Or", makeBinary<OrOp>)
      .Case("Sub", makeBinary<SubOp>)
      .Default(nullptr);
}

/// None for an operator that has no case here.
std::optional<ComparePredicate> findPredicate(StringRef name) {
  return llvm::StringSwitch<std::optional<ComparePredicate>>(name)
      .Case("Equal", ComparePredicate::EQ)
      .Case("Greater", ComparePredicate::GT)
      .Case("GreaterOrEqual", ComparePredicate::GE)
      .Case("Less", ComparePredicate::LT)
      .Case("LessOrEqual", ComparePredicate::LE)
      .Default(std::nullopt);
}

/// The table of operators names a converter that does not know the operator.
LogicalResult failUnknown(const NodeConversion &c, StringRef family) {
  return c.error() << "expected " << family
                   << " that its converter has a case for, got '"
                   << c.node.op_type()
                   << "': add the case to ElementwiseOps.cpp";
}

/// With dropout the default exporter's opset 23 adds the boolean mask of
/// scaled_dot_product_attention to the scores, which ONNX has no meaning for.
bool isAddedSelection(const NodeConversion &c) {
  if (c.node.op_type() != "Add" || !isFloat(c.input(0)) ||
      !isBoolean(c.input(1))) {
    return false;
  }
  std::optional<FxCall> call = getFxCall(c.node);
  return call && call->isAten("scaled_dot_product_attention");
}

/// What PyTorch does with that mask.
LogicalResult convertAddedSelection(NodeConversion &c) {
  auto operands = broadcastTogether(c, {c.input(0), c.input(1)});
  if (failed(operands)) {
    return failure();
  }
  Value scores = operands->front();
  Value none = c.makeConstant(c.typeOf(scores),
                              -std::numeric_limits<double>::infinity());
  c.state.addedSelections.push_back(getNodeName(c.node));
  c.setResult(0, SelectOp::create(c.builder, c.loc, scores.getType(),
                                  operands->back(), scores, none));
  return success();
}

LogicalResult checkSameElementType(NodeConversion &c) {
  for (size_t i = 1; i < c.inputCount(); ++i) {
    if (c.hasInput(i) &&
        c.inputType(i).getElementType() != c.inputType(0).getElementType()) {
      return c.error() << "expected inputs of one element type, got "
                       << c.inputType(0).getElementType() << " and "
                       << c.inputType(i).getElementType();
    }
  }
  return success();
}

/// A maximum or minimum that is the bound of a tensor.
LogicalResult convertBound(NodeConversion &c) {
  if (failed(checkSameElementType(c))) {
    return failure();
  }
  auto operands = broadcastTogether(c, {c.input(0), c.input(1)});
  if (failed(operands)) {
    return failure();
  }
  bool isFirst = c.state.known.isKnown(c.input(0));
  BoundSide side =
      c.node.op_type() == "Max" ? BoundSide::Least : BoundSide::Most;
  c.setResult(0,
              makeBound(c, (*operands)[isFirst], (*operands)[!isFirst], side));
  return success();
}

/// All inputs, broadcast to one shape and combined from the first one on.
FailureOr<Value> combineInputs(NodeConversion &c, BinaryMaker make) {
  if (failed(checkSameElementType(c))) {
    return failure();
  }
  SmallVector<Value> inputs;
  for (size_t i = 0; i < c.inputCount(); ++i) {
    inputs.push_back(c.input(i));
  }
  FailureOr<SmallVector<Value>> operands = broadcastTogether(c, inputs);
  if (failed(operands)) {
    return failure();
  }
  Value result = operands->front();
  for (Value operand : llvm::drop_begin(*operands)) {
    result = make(c, result, operand);
  }
  return result;
}

} // namespace

LogicalResult convertUnary(NodeConversion &c) {
  UnaryMaker make = findUnary(c.node.op_type());
  if (!make) {
    return failUnknown(c, "an operator of one tensor");
  }
  if (isFloat(c.input(0))) {
    c.setResult(0, make(c, c.input(0)));
    return success();
  }
  FailureOr<Value> result = convertIntegerUnary(c);
  if (failed(result)) {
    return failure();
  }
  c.setResult(0, *result);
  return success();
}

LogicalResult convertBinary(NodeConversion &c) {
  BinaryMaker make = findBinary(c.node.op_type());
  if (!make) {
    return failUnknown(c, "an operator of two tensors");
  }
  if (isAddedSelection(c)) {
    return convertAddedSelection(c);
  }
  if (isBound(c)) {
    return convertBound(c);
  }
  bool logical = c.node.op_type() == "And" || c.node.op_type() == "Or";
  if (isBoolean(c.input(0)) != logical) {
    return c.error() << "expected "
                     << (logical ? "boolean tensors" : "tensors of numbers")
                     << ", got " << c.inputType(0);
  }
  FailureOr<Value> result =
      c.node.op_type() == "Mul" ? findAlphaDropout(c) : Value();
  if (succeeded(result) && !*result) {
    result = combineInputs(c, make);
  }
  if (failed(result)) {
    return failure();
  }
  c.setResult(0, *result);
  return success();
}

LogicalResult convertSum(NodeConversion &c) {
  if (!isFloat(c.input(0))) {
    return c.error() << "expected float tensors, got " << c.inputType(0);
  }
  FailureOr<Value> sum = combineInputs(c, makeBinary<AddOp>);
  if (failed(sum)) {
    return failure();
  }
  Value result = *sum;
  if (c.node.op_type() == "Mean") {
    double count = static_cast<double>(c.inputCount());
    result =
        makeBinary<DivOp>(c, result, c.makeConstant(c.typeOf(result), count));
  }
  c.setResult(0, result);
  return success();
}

LogicalResult convertXor(NodeConversion &c) {
  if (!isBoolean(c.input(0)) || !isBoolean(c.input(1))) {
    return c.error() << "expected boolean tensors, got " << c.inputType(0)
                     << " and " << c.inputType(1);
  }
  FailureOr<SmallVector<Value>> operands =
      broadcastTogether(c, {c.input(0), c.input(1)});
  if (failed(operands)) {
    return failure();
  }
  Value both = makeBinary<AndOp>(c, (*operands)[0], (*operands)[1]);
  Value any = makeBinary<OrOp>(c, (*operands)[0], (*operands)[1]);
  c.setResult(0, makeBinary<AndOp>(c, any, makeUnary<NotOp>(c, both)));
  return success();
}

LogicalResult convertCompare(NodeConversion &c) {
  std::optional<ComparePredicate> predicate = findPredicate(c.node.op_type());
  if (!predicate) {
    return failUnknown(c, "a comparison");
  }
  if (failed(checkSameElementType(c))) {
    return failure();
  }
  if (Value isKept = findBernoulli(c, *predicate)) {
    c.setResult(0, isKept);
    return success();
  }
  FailureOr<SmallVector<Value>> operands =
      broadcastTogether(c, {c.input(0), c.input(1)});
  if (failed(operands)) {
    return failure();
  }
  RankedTensorType type =
      c.typeOf(operands->front()).clone(c.builder.getI1Type());
  c.setResult(0, CompareOp::create(c.builder, c.loc, type, *predicate,
                                   (*operands)[0], (*operands)[1]));
  return success();
}

LogicalResult convertNot(NodeConversion &c) {
  if (!isBoolean(c.input(0))) {
    return c.error() << "expected a boolean tensor, got " << c.inputType(0);
  }
  c.setResult(0, makeUnary<NotOp>(c, c.input(0)));
  return success();
}

LogicalResult convertIsNan(NodeConversion &c) {
  if (!isFloat(c.input(0))) {
    return c.error() << "expected a float tensor, got " << c.inputType(0);
  }
  c.setResult(0, IsNanOp::create(c.builder, c.loc,
                                 c.inputType(0).clone(c.builder.getI1Type()),
                                 c.input(0)));
  return success();
}

LogicalResult convertWhere(NodeConversion &c) {
  if (!isBoolean(c.input(0)) ||
      c.inputType(1).getElementType() != c.inputType(2).getElementType()) {
    return c.error() << "expected a boolean condition and two tensors of one "
                        "element type, got "
                     << c.inputType(0) << ", " << c.inputType(1) << " and "
                     << c.inputType(2);
  }
  FailureOr<SmallVector<Value>> operands =
      broadcastTogether(c, {c.input(0), c.input(1), c.input(2)});
  if (failed(operands)) {
    return failure();
  }
  c.setResult(0,
              SelectOp::create(c.builder, c.loc, (*operands)[1].getType(),
                               (*operands)[0], (*operands)[1], (*operands)[2]));
  return success();
}

LogicalResult convertReciprocal(NodeConversion &c) {
  if (!isFloat(c.input(0))) {
    return c.error() << "expected a float tensor, got " << c.inputType(0);
  }
  c.setResult(
      0, makeBinary<DivOp>(c, c.makeConstant(c.inputType(0), 1.0), c.input(0)));
  return success();
}

LogicalResult convertClip(NodeConversion &c) {
  if (isBoolean(c.input(0))) {
    return c.error() << "expected numbers, got " << c.inputType(0);
  }
  if (failed(checkSameElementType(c))) {
    return failure();
  }
  Value result = c.input(0);
  for (auto [input, side] :
       {std::pair(1, BoundSide::Least), std::pair(2, BoundSide::Most)}) {
    if (c.hasInput(input)) {
      Value bound = broadcastTo(c, c.input(input), c.inputType(0).getShape());
      result = makeBound(c, result, bound, side);
    }
  }
  c.setResult(0, result);
  return success();
}

/// Of floats that no narrow integer is near to ONNX says nothing.
void castToNarrow(NodeConversion &c, int32_t dataType) {
  bool isLong = c.inputType(0).getElementType().isInteger(64);
  Value wide = isLong ? wrapIntegers(c, c.input(0), dataType) : c.input(0);
  Value value = c.cast(wide, c.builder.getI32Type());
  c.setResult(0, isLong ? value : wrapIntegers(c, value, dataType));
  markNarrow(c.state, c.node.output(0), dataType);
}

/// The node's first input as `element`; floats of booleans that are random are
/// those with their mean.
static Value castTo(const NodeConversion &c, Type element) {
  Value drawn =
      isa<FloatType>(element) ? c.state.bernoullis.lookup(c.input(0)) : Value();
  return c.cast(drawn ? drawn : c.input(0), element);
}

LogicalResult convertCast(NodeConversion &c) {
  auto dataType = static_cast<int32_t>(c.getInt("to", 0));
  if (getNarrowRange(dataType)) {
    castToNarrow(c, dataType);
    return success();
  }
  Type element = getElementType(*c.builder.getContext(), dataType);
  if (!element) {
    return c.error() << "expected a cast to " << getValueTypeNames()
                     << ", got one to " << getDataTypeName(dataType);
  }
  c.setResult(0, castTo(c, element));
  return success();
}

LogicalResult convertCastLike(NodeConversion &c) {
  auto narrow = c.state.narrow.find(c.node.input(1));
  if (narrow != c.state.narrow.end()) {
    castToNarrow(c, narrow->second);
    return success();
  }
  c.setResult(0, castTo(c, c.inputType(1).getElementType()));
  return success();
}

LogicalResult convertGelu(NodeConversion &c) {
  StringRef form = c.getString("approximate", "none");
  if (!isFloat(c.input(0)) || (form != "none" && form != "tanh")) {
    return c.error()
           << "expected a float tensor and approximate = none or tanh, got "
           << c.inputType(0) << " and '" << form << "'";
  }
  auto approximation =
      form == "tanh" ? GeluApproximation::Tanh : GeluApproximation::None;
  c.setResult(0, GeluOp::create(c.builder, c.loc, c.inputType(0), approximation,
                                c.input(0)));
  return success();
}

LogicalResult convertIdentity(NodeConversion &c) {
  c.setResult(0, c.input(0));
  return success();
}

} // namespace accel::onnx
