// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access to a node, with the errors that all converters share.
#include "frontends/onnx/Conversion/NodeConversion.h"

#include "frontends/onnx/Model/Locations.h"

#include "llvm/ADT/STLExtras.h"

#include <charconv>
#include <cmath>

using namespace mlir;

namespace accel::onnx {

double toDecimal(float value) {
  if (!std::isfinite(value)) {
    return value;
  }
  char text[32];
  double decimal = value;
  std::to_chars_result end = std::to_chars(text, text + sizeof(text), value);
  std::from_chars(text, end.ptr, decimal);
  return decimal;
}

NodeConversion::NodeConversion(ConversionState &state, OpBuilder &builder,
                               Location loc, const pb::NodeProto &node,
                               ArrayRef<Value> inputs)
    : state(state), builder(builder), loc(loc), node(node), inputs(inputs) {}

const pb::AttributeProto *NodeConversion::findAttribute(StringRef name) const {
  for (const pb::AttributeProto &attribute : node.attribute()) {
    if (name == attribute.name()) {
      return &attribute;
    }
  }
  return nullptr;
}

int64_t NodeConversion::getInt(StringRef name, int64_t otherwise) const {
  const pb::AttributeProto *attribute = findAttribute(name);
  return attribute ? attribute->i() : otherwise;
}

double NodeConversion::getFloat(StringRef name, double otherwise) const {
  const pb::AttributeProto *attribute = findAttribute(name);
  return attribute ? toDecimal(attribute->f()) : otherwise;
}

StringRef NodeConversion::getString(StringRef name, StringRef otherwise) const {
  const pb::AttributeProto *attribute = findAttribute(name);
  return attribute ? StringRef(attribute->s()) : otherwise;
}

std::optional<SmallVector<int64_t>>
NodeConversion::getInts(StringRef name) const {
  const pb::AttributeProto *attribute = findAttribute(name);
  if (!attribute) {
    return std::nullopt;
  }
  return SmallVector<int64_t>(attribute->ints().begin(),
                              attribute->ints().end());
}

FailureOr<SmallVector<int64_t>>
NodeConversion::getConstantInts(size_t i) const {
  std::optional<SmallVector<int64_t>> values;
  if (hasInput(i) && inputType(i).getRank() <= 1) {
    values = state.known.evaluateIntegers(input(i));
  }
  if (!values) {
    return error(codes::ComputedShape)
           << "expected integers that do not depend on the model's inputs as "
              "input "
           << i << ", got "
           << (hasInput(i)
                   ? "a computed value; shapes must be known at compile time"
                   : "none");
  }
  return *values;
}

FailureOr<int64_t> NodeConversion::getConstantInt(size_t i) const {
  std::optional<SmallVector<int64_t>> values;
  if (hasInput(i)) {
    values = state.known.evaluateIntegers(input(i));
  }
  if (!values || values->size() != 1) {
    return error(codes::ComputedShape)
           << "expected one integer that does not depend on the model's "
              "inputs as input "
           << i << ", got "
           << (!hasInput(i) ? "none"
               : values     ? std::to_string(values->size()) + " of them"
                            : "another value");
  }
  return values->front();
}

FailureOr<double> NodeConversion::getConstantNumber(size_t i) const {
  HostTensor tensor;
  if (hasInput(i)) {
    tensor = state.known.evaluate(input(i));
  }
  if (!tensor || tensor.getNumElements() != 1) {
    return error(codes::ComputedShape)
           << "expected one number that does not depend on the model's "
              "inputs as input "
           << i << ", got "
           << (!hasInput(i) ? "none"
               : tensor     ? "several"
                            : "a computed value");
  }
  double value = tensor.getAsDouble(0);
  return tensor.getElementType().isF32() ? toDecimal(static_cast<float>(value))
                                         : value;
}

FailureOr<int64_t> NodeConversion::normalizeAxis(int64_t axis,
                                                 int64_t rank) const {
  if (axis < -rank || axis >= rank) {
    return error() << "expected an axis from " << -rank << " to " << rank - 1
                   << ", got " << axis;
  }
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>>
NodeConversion::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) const {
  SmallVector<int64_t> normalized;
  for (int64_t axis : axes) {
    FailureOr<int64_t> one = normalizeAxis(axis, rank);
    if (failed(one)) {
      return failure();
    }
    normalized.push_back(*one);
  }
  SmallVector<int64_t> sorted = normalized;
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return error() << "expected every axis once, got a repeated one";
  }
  return normalized;
}

void NodeConversion::setResult(size_t i, Value value) {
  if (results.size() <= i) {
    results.resize(i + 1);
  }
  results[i] = value;
}

BodyValue NodeConversion::getBodyInput(size_t i) const {
  auto sequence = state.sequences.find(node.input(static_cast<int>(i)));
  if (sequence != state.sequences.end()) {
    return {Value(), sequence->second};
  }
  return {input(i), std::nullopt};
}

void NodeConversion::setBodyResult(size_t i, const BodyValue &value) {
  if (!value.sequence) {
    setResult(i, value.value);
  } else if (isResultUsed(i)) {
    state.sequences[node.output(static_cast<int>(i))] = *value.sequence;
  }
}

InFlightDiagnostic NodeConversion::error(ErrorCode code) const {
  return emitCodedError(loc, code)
         << node.op_type() << " '" << getNodeName(node) << "': ";
}

Value NodeConversion::makeConstant(RankedTensorType type, double value) const {
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value constant = ConstantOp::create(
      builder, loc, HostTensor::splat(scalar, value).toAttribute());
  return type.getRank() == 0 ? constant
                             : BroadcastOp::create(builder, loc, type, constant,
                                                   ArrayRef<int64_t>{});
}

Value NodeConversion::makeIntegers(ArrayRef<int64_t> values) const {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    builder.getI64Type());
  return ConstantOp::create(
      builder, loc,
      HostTensor(type, std::vector<int64_t>(values.begin(), values.end()))
          .toAttribute());
}

Value NodeConversion::reshape(Value value, ArrayRef<int64_t> shape) const {
  RankedTensorType type = typeOf(value);
  return type.getShape() == shape
             ? value
             : ReshapeOp::create(builder, loc, type.clone(shape), value)
                   .getResult();
}

Value NodeConversion::transpose(Value value,
                                ArrayRef<int64_t> permutation) const {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape;
  bool identity = true;
  for (auto [position, source] : llvm::enumerate(permutation)) {
    shape.push_back(type.getDimSize(source));
    identity &= static_cast<int64_t>(position) == source;
  }
  return identity ? value
                  : TransposeOp::create(builder, loc, type.clone(shape), value,
                                        permutation)
                        .getResult();
}

Value NodeConversion::slice(Value value, ArrayRef<int64_t> offsets,
                            ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> strides) const {
  RankedTensorType type = typeOf(value);
  return type.getShape() == shape
             ? value
             : SliceOp::create(builder, loc, type.clone(shape), value, offsets,
                               strides)
                   .getResult();
}

Value NodeConversion::concat(ArrayRef<Value> values, int64_t axis) const {
  if (values.size() == 1) {
    return values.front();
  }
  RankedTensorType type = typeOf(values.front());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 0;
  for (Value value : values) {
    shape[axis] += typeOf(value).getDimSize(axis);
  }
  return ConcatOp::create(builder, loc, type.clone(shape), values, axis);
}

Value NodeConversion::cast(Value value, Type elementType) const {
  RankedTensorType type = typeOf(value);
  return type.getElementType() == elementType
             ? value
             : CastOp::create(builder, loc, type.clone(elementType), value)
                   .getResult();
}

} // namespace accel::onnx
