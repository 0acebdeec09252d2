// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators that compare elements with their own index.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Weights/TensorData.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The dimensions of `type` without `axis`.
SmallVector<int64_t> without(RankedTensorType type, int64_t axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return shape;
}

/// `value`, which has not the dimension `axis` of `type`, repeated along it.
Value repeatAlong(NodeConversion &c, Value value, RankedTensorType type,
                  int64_t axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  return broadcastTo(c, c.reshape(value, shape), type.getShape());
}

} // namespace

LogicalResult convertArgMax(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", 0), type.getRank());
  if (failed(axis)) {
    return failure();
  }
  if (type.getElementType().isInteger(1)) {
    return c.error() << "expected numbers, got " << type;
  }
  int64_t axes[] = {*axis};
  SmallVector<int64_t> shape = without(type, *axis);
  Value best =
      c.node.op_type() == "ArgMax"
          ? Value(ReduceMaxOp::create(c.builder, c.loc, type.clone(shape),
                                      c.input(0), axes))
          : Value(ReduceMinOp::create(c.builder, c.loc, type.clone(shape),
                                      c.input(0), axes));
  Value isBest =
      Formula(c, type).equal(c.input(0), repeatAlong(c, best, type, *axis));
  RankedTensorType indices = type.clone(c.builder.getI64Type());
  Formula f(c, indices);
  // Of a row that has NaN none is: the last index, which is one of the row.
  Value last = f.number(static_cast<double>(type.getDimSize(*axis) - 1));
  Value result;
  if (c.getInt("select_last_index", 0)) {
    Value candidates = f.select(isBest, f.index(*axis), f.number(0));
    result = ReduceMaxOp::create(c.builder, c.loc, indices.clone(shape),
                                 candidates, axes);
  } else {
    Value candidates = f.select(isBest, f.index(*axis), last);
    result = ReduceMinOp::create(c.builder, c.loc, indices.clone(shape),
                                 candidates, axes);
  }
  if (c.getInt("keepdims", 1)) {
    shape.insert(shape.begin() + *axis, 1);
    result = c.reshape(result, shape);
  }
  c.setResult(0, result);
  return success();
}

LogicalResult convertOneHot(NodeConversion &c) {
  RankedTensorType type = c.inputType(0), values = c.inputType(2);
  FailureOr<double> number = c.getConstantNumber(1);
  if (failed(number)) {
    return failure();
  }
  // Floats may say both; what they hold is whole.
  bool isWhole = *number >= 1 && *number <= double(int64_t(1) << 31);
  auto depth = static_cast<int64_t>(isWhole ? *number : 0);
  if (type.getElementType().isInteger(1) || depth < 1 ||
      values.getShape() != ArrayRef<int64_t>{2}) {
    return c.error() << "expected numbers as indices, a positive depth "
                        "and two values, got "
                     << type << ", " << *number << " and " << values;
  }
  type = type.clone(c.builder.getI64Type());
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", -1), type.getRank() + 1);
  if (failed(axis)) {
    return failure();
  }
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + *axis, depth);
  RankedTensorType wide = type.clone(shape);
  Formula f(c, wide);
  Value index =
      repeatAlong(c, c.cast(c.input(0), c.builder.getI64Type()), wide, *axis);
  Value size = f.number(static_cast<double>(depth));
  // From the end, if it is negative.
  Value wanted =
      f.select(f.less(index, f.number(0)), f.add(index, size), index);
  auto value = [&](int64_t i) {
    Value one = c.slice(c.input(2), {i}, {1}, {1});
    return broadcastTo(c, c.reshape(one, {}), shape);
  };
  c.setResult(0, f.select(f.equal(wanted, f.index(*axis)), value(1), value(0)));
  return success();
}

LogicalResult convertEyeLike(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  Type element = type.getElementType();
  if (c.hasAttribute("dtype")) {
    element = getElementType(*c.builder.getContext(),
                             static_cast<int32_t>(c.getInt("dtype", 0)));
  }
  if (type.getRank() != 2) {
    return c.error() << "expected a matrix, got " << type;
  }
  if (!element) {
    return c.error() << "expected a type that plans have, got "
                     << getDataTypeName(
                            static_cast<int32_t>(c.getInt("dtype", 0)));
  }
  Formula f(c, type.clone(c.builder.getI64Type()));
  Value shifted =
      f.add(f.index(0), f.number(static_cast<double>(c.getInt("k", 0))));
  c.setResult(0, c.cast(f.equal(f.index(1), shifted), element));
  return success();
}

} // namespace accel::onnx
