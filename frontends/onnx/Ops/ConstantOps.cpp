// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators that make tensors from attributes, shapes and
// numbers. Ranges and triangles are made of `accel.iota`, so that they are
// evaluated like everything else.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Conversion/NarrowIntegers.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Weights/TensorData.h"

#include <cmath>

using namespace mlir;

namespace accel::onnx {
namespace {

FailureOr<Value> makeTensor(NodeConversion &c, const pb::TensorProto &tensor) {
  if (tensor.data_location() == pb::TensorProto::EXTERNAL) {
    return c.error() << "expected the value of a constant inside the file, got "
                        "external data";
  }
  llvm::Expected<RankedTensorType> type =
      getTensorType(*c.builder.getContext(), tensor);
  if (!type) {
    return c.error() << llvm::toString(type.takeError());
  }
  pb::TensorProto copy = tensor;
  llvm::Expected<TensorBytes> bytes =
      getInlineBytes(copy, *type, /*steal=*/true);
  if (!bytes) {
    return c.error() << llvm::toString(bytes.takeError());
  }
  markNarrow(c.state, c.node.output(0), tensor.data_type());
  return ConstantOp::create(c.builder, c.loc,
                            getElements(*type, *bytes->contents))
      .getResult();
}

/// The sizes in input `i`, checked to be those of a tensor that can be.
FailureOr<SmallVector<int64_t>> getSizes(NodeConversion &c, size_t i) {
  FailureOr<SmallVector<int64_t>> sizes = c.getConstantInts(i);
  if (failed(sizes)) {
    return failure();
  }
  int64_t elements = 1;
  for (int64_t size : *sizes) {
    if (size < 0 || (size > 0 && elements > kMaxHostElements * 16 / size)) {
      return c.error()
             << "expected the sizes of a tensor that fits memory, got one of "
             << size;
    }
    elements *= std::max<int64_t>(size, 1);
  }
  return sizes;
}

template <typename Number>
InFlightDiagnostic rangeError(NodeConversion &c, Number first, Number limit,
                              Number step) {
  return c.error() << "expected a range of at most " << kMaxKnownElements
                   << " numbers, got " << first << " to " << limit << " by "
                   << step;
}

/// How many numbers a Range of floats has.
FailureOr<int64_t> countFloats(NodeConversion &c) {
  FailureOr<double> first = c.getConstantNumber(0),
                    limit = c.getConstantNumber(1),
                    step = c.getConstantNumber(2);
  if (failed(first) || failed(limit) || failed(step)) {
    return failure();
  }
  double count = std::max(0.0, std::ceil((*limit - *first) / *step));
  if (!(count <= static_cast<double>(kMaxKnownElements))) {
    return rangeError(c, *first, *limit, *step);
  }
  return static_cast<int64_t>(count);
}

/// How many numbers a Range of integers has, counted without rounding: beyond
/// 2^53 a double skips integers.
FailureOr<int64_t> countIntegers(NodeConversion &c) {
  FailureOr<int64_t> first = c.getConstantInt(0), limit = c.getConstantInt(1),
                     step = c.getConstantInt(2);
  if (failed(first) || failed(limit) || failed(step)) {
    return failure();
  }
  if (*step == 0) {
    return c.error() << "expected a step other than 0";
  }
  bool isUp = *step > 0;
  if (isUp ? *limit <= *first : *limit >= *first) {
    return 0;
  }
  // The distance may be larger than any int64, not than any uint64.
  auto from = static_cast<uint64_t>(isUp ? *first : *limit),
       to = static_cast<uint64_t>(isUp ? *limit : *first),
       stride = isUp ? static_cast<uint64_t>(*step)
                     : 0 - static_cast<uint64_t>(*step);
  uint64_t last = (to - from - 1) / stride;
  if (last >= static_cast<uint64_t>(kMaxKnownElements)) {
    return rangeError(c, *first, *limit, *step);
  }
  return static_cast<int64_t>(last + 1);
}

} // namespace

LogicalResult convertConstant(NodeConversion &c) {
  FailureOr<Value> value = failure();
  auto scalar = RankedTensorType::get({}, c.builder.getF32Type());
  if (const pb::AttributeProto *tensor = c.findAttribute("value")) {
    value = makeTensor(c, tensor->t());
  } else if (c.hasAttribute("value_float")) {
    value = c.makeConstant(scalar, c.getFloat("value_float", 0.0));
  } else if (c.hasAttribute("value_int")) {
    value = c.reshape(c.makeIntegers({c.getInt("value_int", 0)}), {});
  } else if (std::optional<SmallVector<int64_t>> integers =
                 c.getInts("value_ints")) {
    value = c.makeIntegers(*integers);
  } else if (const pb::AttributeProto *floats =
                 c.findAttribute("value_floats")) {
    auto type =
        RankedTensorType::get({floats->floats_size()}, c.builder.getF32Type());
    HostTensor tensor(type, std::vector<double>(floats->floats().begin(),
                                                floats->floats().end()));
    value =
        ConstantOp::create(c.builder, c.loc, tensor.toAttribute()).getResult();
  } else {
    return c.error() << "expected a value, got none";
  }
  if (failed(value)) {
    return failure();
  }
  c.setResult(0, *value);
  return success();
}

LogicalResult convertConstantOfShape(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> shape = getSizes(c, 0);
  if (failed(shape)) {
    return failure();
  }
  const pb::AttributeProto *attribute = c.findAttribute("value");
  if (!attribute) {
    c.setResult(
        0, c.makeConstant(RankedTensorType::get(*shape, c.builder.getF32Type()),
                          0.0));
    return success();
  }
  FailureOr<Value> value = makeTensor(c, attribute->t());
  if (failed(value)) {
    return failure();
  }
  if (c.typeOf(*value).getNumElements() != 1) {
    return c.error() << "expected a value of one element, got "
                     << c.typeOf(*value);
  }
  c.setResult(0, broadcastTo(c, c.reshape(*value, {}), *shape));
  return success();
}

LogicalResult convertExpand(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> sizes = getSizes(c, 1);
  if (failed(sizes)) {
    return failure();
  }
  FailureOr<SmallVector<int64_t>> shape =
      getCommonShape(c, {c.inputType(0).getShape(), *sizes});
  if (failed(shape)) {
    return failure();
  }
  c.setResult(0, broadcastTo(c, c.input(0), *shape));
  return success();
}

LogicalResult convertRange(NodeConversion &c) {
  Type elementType = c.inputType(0).getElementType();
  for (size_t i = 1; i < 3; ++i) {
    if (c.inputType(i).getElementType() != elementType) {
      return c.error() << "expected numbers of one element type, got "
                       << elementType << " and "
                       << c.inputType(i).getElementType();
    }
  }
  if (elementType.isInteger(1)) {
    return c.error() << "expected numbers, got booleans";
  }
  FailureOr<int64_t> count =
      isa<FloatType>(elementType) ? countFloats(c) : countIntegers(c);
  if (failed(count)) {
    return failure();
  }
  RankedTensorType type = c.inputType(0).clone(ArrayRef<int64_t>{*count});
  // Made of an index tensor, as the definition is: start + i * delta.
  Value index =
      IotaOp::create(c.builder, c.loc, type.clone(c.builder.getI64Type()), 0);
  auto widen = [&](size_t i) {
    return broadcastTo(c, c.reshape(c.input(i), {}), type.getShape());
  };
  Value number = c.cast(index, type.getElementType()), delta = widen(2),
        start = widen(0);
  Value scaled = MulOp::create(c.builder, c.loc, type, number, delta);
  c.setResult(0, AddOp::create(c.builder, c.loc, type, scaled, start));
  return success();
}

LogicalResult convertTrilu(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  if (type.getRank() < 2) {
    return c.error() << "expected a matrix, got " << type;
  }
  int64_t diagonal = 0;
  if (c.hasInput(1)) {
    FailureOr<int64_t> k = c.getConstantInt(1);
    if (failed(k)) {
      return failure();
    }
    // Beyond the matrix every diagonal is alike.
    int64_t most = type.getDimSize(type.getRank() - 2) +
                   type.getDimSize(type.getRank() - 1);
    diagonal = std::clamp(*k, -most, most);
  }
  RankedTensorType plane = RankedTensorType::get(type.getShape().take_back(2),
                                                 c.builder.getI64Type());
  Value row = IotaOp::create(c.builder, c.loc, plane, 0),
        column = IotaOp::create(c.builder, c.loc, plane, 1);
  Value shifted =
      AddOp::create(c.builder, c.loc, plane, row,
                    c.makeConstant(plane, static_cast<double>(diagonal)));
  auto predicate =
      c.getInt("upper", 1) ? ComparePredicate::GE : ComparePredicate::LE;
  Value triangle =
      CompareOp::create(c.builder, c.loc, plane.clone(c.builder.getI1Type()),
                        predicate, column, shifted);
  Value keep = broadcastTo(c, triangle, type.getShape()),
        zeros = c.makeConstant(type, 0.0);
  c.setResult(
      0, SelectOp::create(c.builder, c.loc, type, keep, c.input(0), zeros));
  return success();
}

LogicalResult convertShape(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  auto clamp = [&](int64_t position) {
    return std::clamp<int64_t>(
        position < 0 ? position + type.getRank() : position, 0, type.getRank());
  };
  int64_t start = clamp(c.getInt("start", 0)),
          end = clamp(c.getInt("end", type.getRank()));
  c.setResult(0, c.makeIntegers(type.getShape().slice(
                     start, std::max<int64_t>(0, end - start))));
  return success();
}

LogicalResult convertSize(NodeConversion &c) {
  c.setResult(0,
              c.reshape(c.makeIntegers({c.inputType(0).getNumElements()}), {}));
  return success();
}

} // namespace accel::onnx
