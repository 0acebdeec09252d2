// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of FlexAttention, PyTorch's flex_attention: attention whose scores
// and probabilities graphs of the model change.
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Weights/TensorData.h"

#include <cmath>

using namespace mlir;

namespace accel::onnx {
namespace {

LogicalResult checkOperands(NodeConversion &c) {
  RankedTensorType query = c.inputType(0), key = c.inputType(1),
                   value = c.inputType(2);
  bool fits = query.getRank() == 4 && key.getRank() == 4 &&
              value.getRank() == 4 && isa<FloatType>(query.getElementType()) &&
              key.getNumElements() > 0 &&
              query.getDimSize(1) % key.getDimSize(1) == 0 &&
              key == query.clone({query.getDimSize(0), key.getDimSize(1),
                                  key.getDimSize(2), query.getDimSize(3)}) &&
              value == query.clone({query.getDimSize(0), key.getDimSize(1),
                                    key.getDimSize(2), value.getDimSize(3)});
  return fits ? success()
              : LogicalResult(
                    c.error()
                    << "expected queries (n, h, t, d), keys (n, g, s, d) and "
                       "values (n, g, s, e) of floats, h a multiple of g, got "
                    << query << ", " << key << " and " << value);
}

/// What scores are computed in.
FailureOr<Type> getPrecision(NodeConversion &c) {
  Type element = c.inputType(0).getElementType();
  if (!c.hasAttribute("softmax_precision")) {
    return element.getIntOrFloatBitWidth() < 32 ? Type(c.builder.getF32Type())
                                                : element;
  }
  auto name = static_cast<int32_t>(c.getInt("softmax_precision", 0));
  Type precision = getElementType(*c.builder.getContext(), name);
  if (!isa_and_nonnull<FloatType>(precision)) {
    return c.error() << "expected a softmax_precision of floats, got "
                     << getDataTypeName(name);
  }
  return precision;
}

/// What the graph in attribute `name`, if there is one, makes of `value`.
FailureOr<Value> change(NodeConversion &c, StringRef name, Value value) {
  const pb::AttributeProto *attribute = c.findAttribute(name);
  if (!attribute) {
    return value;
  }
  const pb::GraphProto &body = attribute->g();
  if (body.input_size() != 1 || body.output_size() != 1) {
    return c.error() << "expected a graph of one input and one output in "
                     << name << ", got " << body.input_size() << " and "
                     << body.output_size();
  }
  SmallVector<BodyValue> outputs;
  if (failed(c.state.convertBody(body, {{value, std::nullopt}}, outputs))) {
    return failure();
  }
  Value changed = outputs.front().value;
  if (!changed || changed.getType() != value.getType()) {
    return c.error() << "expected " << name << " to give the type it gets, "
                     << value.getType();
  }
  return changed;
}

/// Batches of matrices times others, or their transposes.
Value multiply(NodeConversion &c, Value lhs, Value rhs, bool transposeRhs) {
  RankedTensorType type = c.typeOf(lhs);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = c.typeOf(rhs).getDimSize(transposeRhs ? 2 : 3);
  return MatmulOp::create(c.builder, c.loc, type.clone(shape), lhs, rhs,
                          /*transposeLhs=*/false, transposeRhs);
}

} // namespace

LogicalResult convertFlexAttention(NodeConversion &c) {
  if (failed(checkOperands(c))) {
    return failure();
  }
  FailureOr<Type> precision = getPrecision(c);
  if (failed(precision)) {
    return failure();
  }
  ArrayRef<int64_t> queries = c.inputType(0).getShape(),
                    values = c.inputType(2).getShape();
  int64_t samples = queries[0], heads = queries[1], rows = queries[2],
          groups = values[1], keys = values[2];
  // Query heads that share a key head are rows of one product.
  SmallVector<int64_t> together{samples, groups, heads / groups * rows,
                                queries[3]};
  double scale =
      c.getFloat("scale", 1 / std::sqrt(static_cast<double>(queries[3])));
  Value query = c.reshape(c.input(0), together);
  query = Formula(c, c.typeOf(query)).scale(scale, query);
  Value scores = multiply(c, query, c.input(1), /*transposeRhs=*/true);
  scores = c.cast(c.reshape(scores, {samples, heads, rows, keys}), *precision);
  FailureOr<Value> changed = change(c, "score_mod", scores);
  if (failed(changed)) {
    return failure();
  }
  Value probabilities =
      SoftmaxOp::create(c.builder, c.loc, c.typeOf(*changed), *changed);
  changed = change(c, "prob_mod", probabilities);
  if (failed(changed)) {
    return failure();
  }
  together.back() = keys;
  Value result =
      multiply(c, c.reshape(*changed, together), c.cast(c.input(2), *precision),
               /*transposeRhs=*/false);
  result = c.reshape(result, {samples, heads, rows, values[3]});
  c.setResult(0, c.cast(result, c.inputType(0).getElementType()));
  return success();
}

} // namespace accel::onnx
