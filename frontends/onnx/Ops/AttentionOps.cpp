// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's Attention node (operator set 23): head layout, masks and the default
// scale. Key heads may be shared, as in the dialect.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/DropoutSites.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include <cmath>

using namespace mlir;

namespace accel::onnx {
namespace {

/// (b, t, h d) to (b, h, t, d) where the node has 3-D inputs.
FailureOr<Value> splitHeads(NodeConversion &c, Value value,
                            StringRef headsAttribute) {
  ArrayRef<int64_t> shape = c.typeOf(value).getShape();
  if (shape.size() == 4) {
    return value;
  }
  int64_t heads = c.getInt(headsAttribute, 0);
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0) {
    return c.error() << "expected 4-D inputs, or 3-D ones whose last dimension "
                        "is a multiple of "
                     << headsAttribute << " = " << heads << ", got "
                     << c.typeOf(value);
  }
  return c.transpose(
      c.reshape(value, {shape[0], shape[1], heads, shape[2] / heads}),
      {0, 2, 1, 3});
}

/// The mask with four dimensions, each 1 or that of the scores.
FailureOr<Value> makeMask(NodeConversion &c, RankedTensorType query,
                          RankedTensorType key) {
  if (!c.hasInput(3)) {
    return Value();
  }
  RankedTensorType type = c.inputType(3);
  SmallVector<int64_t> shape(type.getShape());
  if (shape.size() < 4) {
    shape.insert(shape.begin(), 4 - shape.size(), 1);
  }
  int64_t scores[] = {query.getDimSize(0), query.getDimSize(1),
                      query.getDimSize(2), key.getDimSize(2)};
  bool fits = shape.size() == 4 && shape[3] == scores[3] &&
              (type.getElementType().isInteger(1) ||
               type.getElementType() == query.getElementType());
  for (size_t i = 0; fits && i < 3; ++i) {
    fits = shape[i] == 1 || shape[i] == scores[i];
  }
  if (!fits) {
    return c.error() << "expected a boolean or " << query.getElementType()
                     << " mask that broadcasts to [" << scores[0] << ", "
                     << scores[1] << ", " << scores[2] << ", " << scores[3]
                     << "], got " << type;
  }
  return c.reshape(c.input(3), shape);
}

LogicalResult checkSupported(NodeConversion &c) {
  if (c.hasInput(4) || c.hasInput(5) || c.isResultUsed(1) ||
      c.isResultUsed(2) || c.isResultUsed(3)) {
    return c.error()
           << "expected attention without key and value cache and without "
              "score output, got one; export with use_cache=False";
  }
  for (size_t i = 0; i < 3; ++i) {
    if (!isa<FloatType>(c.inputType(i).getElementType()) ||
        c.inputType(i).getElementType() != c.inputType(0).getElementType()) {
      return c.error()
             << "expected query, key and value of one float type, got "
             << c.inputType(i);
    }
  }
  return success();
}

/// (b, h, t, e) back to (b, t, h e) where the node has 3-D inputs.
Value mergeHeads(NodeConversion &c, Value result) {
  ArrayRef<int64_t> shape = c.typeOf(result).getShape();
  if (c.inputType(0).getRank() == 4) {
    return result;
  }
  return c.reshape(c.transpose(result, {0, 2, 1, 3}),
                   {shape[0], shape[2], shape[1] * shape[3]});
}

} // namespace

LogicalResult convertAttention(NodeConversion &c) {
  if (failed(checkSupported(c))) {
    return failure();
  }
  FailureOr<Value> query = splitHeads(c, c.input(0), "q_num_heads");
  FailureOr<Value> key = splitHeads(c, c.input(1), "kv_num_heads"),
                   value = splitHeads(c, c.input(2), "kv_num_heads");
  if (failed(query) || failed(key) || failed(value)) {
    return failure();
  }
  RankedTensorType type = c.typeOf(*query);
  ArrayRef<int64_t> q = type.getShape(), k = c.typeOf(*key).getShape(),
                    v = c.typeOf(*value).getShape();
  if (k[1] == 0 || q[1] % k[1] != 0) {
    return c.error() << "expected a number of query heads that is a multiple "
                        "of the key heads, got "
                     << q[1] << " and " << k[1];
  }
  if (k[0] != q[0] || v[0] != q[0] || k[1] != v[1] || k[3] != q[3] ||
      k[2] != v[2]) {
    return c.error() << "expected query, key and value whose batches, head "
                        "sizes and lengths agree, got "
                     << c.inputType(0) << ", " << c.inputType(1) << " and "
                     << c.inputType(2);
  }
  FailureOr<Value> mask = makeMask(c, type, c.typeOf(*key));
  if (failed(mask)) {
    return failure();
  }
  double model = findAttentionDropout(c.node);
  auto [probability, site] = model > 0.0
                                 ? addDropoutSite(c, model, /*attention=*/true)
                                 : std::pair(0.0, int64_t(0));
  Value seed = probability > 0.0 ? getSeed(c) : Value(),
        samples = probability > 0.0 ? getSampleIndices(c) : Value();
  double scale =
      c.getFloat("scale", 1.0 / std::sqrt(static_cast<double>(q[3])));
  auto attention = AttentionOp::create(
      c.builder, c.loc, type.clone({q[0], q[1], q[2], v[3]}),
      type.clone({q[0], q[1], q[2]}), *query, *key, *value, *mask, samples,
      seed, /*site_offset=*/Value(), c.builder.getF64FloatAttr(scale),
      c.getInt("is_causal", 0) ? c.builder.getUnitAttr() : UnitAttr(),
      c.builder.getF64FloatAttr(probability),
      c.builder.getI64IntegerAttr(site));
  c.setResult(0, mergeHeads(c, attention.getResult()));
  return success();
}

} // namespace accel::onnx
