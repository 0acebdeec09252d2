// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's Attention node (operator set 23): head layout, caches, masks and the
// default scale. Key heads may be shared, as in the dialect.
#include "frontends/onnx/Builders/AttendedKeys.h"
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/DropoutSites.h"
#include "frontends/onnx/Builders/ScoredAttention.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include <cmath>
#include <limits>

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

/// The keys or values of the cache, then those of the node.
FailureOr<Value> appendToPast(NodeConversion &c, size_t input, Value value) {
  if (!c.hasInput(input)) {
    return value;
  }
  SmallVector<int64_t> past(c.inputType(input).getShape()),
      shape(c.typeOf(value).getShape());
  int64_t length = past.size() == 4 ? past[2] : 0;
  if (past.size() == 4) {
    past[2] = shape[2];
  }
  if (past != shape ||
      c.inputType(input).getElementType() != c.typeOf(value).getElementType()) {
    return c.error() << "expected a cache like " << c.typeOf(value)
                     << ", but for its length, got " << c.inputType(input);
  }
  return length == 0 ? value : c.concat({c.input(input), value}, 2);
}

/// The mask with four dimensions, each 1 or that of the scores. Keys that it
/// says nothing of are left out.
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
  bool isBoolean = type.getElementType().isInteger(1);
  bool fits = shape.size() == 4 && shape[3] <= scores[3] &&
              (isBoolean || type.getElementType() == query.getElementType());
  for (size_t i = 0; fits && i < 3; ++i) {
    fits = shape[i] == 1 || shape[i] == scores[i];
  }
  if (!fits) {
    return c.error() << "expected a boolean or " << query.getElementType()
                     << " mask that broadcasts to [" << scores[0] << ", "
                     << scores[1] << ", " << scores[2] << ", " << scores[3]
                     << "], got " << type;
  }
  Value mask = c.reshape(c.input(3), shape);
  if (shape[3] == scores[3] || shape[3] == 1) {
    return shape[3] == scores[3]
               ? mask
               : broadcastTo(c, mask,
                             {shape[0], shape[1], shape[2], scores[3]});
  }
  shape[3] = scores[3] - shape[3];
  Value rest = c.makeConstant(
      type.clone(shape),
      isBoolean ? 0.0 : -std::numeric_limits<double>::infinity());
  return c.concat({mask, rest}, 3);
}

LogicalResult checkSupported(NodeConversion &c) {
  if (c.hasInput(4) != c.hasInput(5)) {
    return c.error() << "expected a cache of keys and values, got one of them";
  }
  if (c.hasInput(6) &&
      (c.inputType(6).getRank() != 1 ||
       c.inputType(6).getDimSize(0) != c.inputType(0).getDimSize(0))) {
    return c.error() << "expected the length of each sample, got "
                     << c.inputType(6);
  }
  if (double softcap = c.getFloat("softcap", 0.0); !(softcap >= 0.0)) {
    return c.error() << "expected a softcap that is positive, or 0 for none, "
                        "got "
                     << softcap;
  }
  if (int64_t mode = c.getInt("qk_matmul_output_mode", 0);
      mode < 0 || mode > 3) {
    return c.error() << "expected a qk_matmul_output_mode from 0 to 3, got "
                     << mode;
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

/// What the node attends to, after its cache.
struct Operands {
  Value query, key, value, mask;
  bool isCausal = false; ///< beside the mask
};

LogicalResult checkShapes(NodeConversion &c, const Operands &operands) {
  ArrayRef<int64_t> q = c.typeOf(operands.query).getShape(),
                    k = c.typeOf(operands.key).getShape(),
                    v = c.typeOf(operands.value).getShape();
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
  return success();
}

FailureOr<Operands> readOperands(NodeConversion &c) {
  FailureOr<Value> query = splitHeads(c, c.input(0), "q_num_heads");
  FailureOr<Value> key = splitHeads(c, c.input(1), "kv_num_heads"),
                   value = splitHeads(c, c.input(2), "kv_num_heads");
  if (failed(query) || failed(key) || failed(value)) {
    return failure();
  }
  int64_t queries = c.typeOf(*query).getDimSize(2),
          added = c.typeOf(*key).getDimSize(2);
  key = appendToPast(c, 4, *key);
  value = appendToPast(c, 5, *value);
  if (failed(key) || failed(value)) {
    return failure();
  }
  Operands operands{*query, *key, *value, Value()};
  if (failed(checkShapes(c, operands))) {
    return failure();
  }
  FailureOr<Value> mask = makeMask(c, c.typeOf(*query), c.typeOf(*key));
  if (failed(mask)) {
    return failure();
  }
  operands.mask = *mask;
  AttendedKeys attended;
  attended.queries = queries;
  attended.keys = c.typeOf(*key).getDimSize(2);
  attended.past = attended.keys - added;
  attended.lengths =
      c.hasInput(6) ? c.cast(c.input(6), c.builder.getI64Type()) : Value();
  attended.isCausal = c.getInt("is_causal", 0) != 0;
  attended.left = c.getInt("left_window_size", -1);
  attended.right = c.getInt("right_window_size", -1);
  operands.isCausal = attended.isPlain() && attended.isCausal;
  if (!attended.isPlain()) {
    operands.mask = combineMasks(c, operands.mask, attended.makeMask(c));
  }
  return operands;
}

/// Whether the softmax has more digits than operands of at most 32 bits.
bool wantsDouble(const NodeConversion &c) {
  return c.getInt("softmax_precision", pb::TensorProto::FLOAT) ==
         pb::TensorProto::DOUBLE;
}

/// With scores that are tensors.
void convertScored(NodeConversion &c, Operands &operands, double scale) {
  if (operands.isCausal) {
    AttendedKeys attended;
    attended.queries = c.typeOf(operands.query).getDimSize(2);
    attended.keys = c.typeOf(operands.key).getDimSize(2);
    attended.past = attended.keys - attended.queries;
    attended.isCausal = true;
    operands.mask = combineMasks(c, operands.mask, attended.makeMask(c));
  }
  ScoredAttention scored = buildScoredAttention(
      c, operands.query, operands.key, operands.value, operands.mask, scale,
      c.getFloat("softcap", 0.0),
      wantsDouble(c) ? c.builder.getF64Type()
                     : c.typeOf(operands.query).getElementType(),
      static_cast<ScoreOutput>(c.getInt("qk_matmul_output_mode", 0)));
  c.setResult(0, mergeHeads(c, scored.result));
  c.setResult(3, scored.scores);
}

} // namespace

LogicalResult convertAttention(NodeConversion &c) {
  FailureOr<Operands> operands = failure();
  if (failed(checkSupported(c)) || failed(operands = readOperands(c))) {
    return failure();
  }
  c.setResult(1, operands->key);
  c.setResult(2, operands->value);
  RankedTensorType type = c.typeOf(operands->query);
  ArrayRef<int64_t> q = type.getShape();
  double scale =
      c.getFloat("scale", 1.0 / std::sqrt(static_cast<double>(q[3])));
  double model = findAttentionDropout(c.node);
  // Kernels attend in f32, and to operands of 16 bits.
  if (c.isResultUsed(3) || type.getElementType().isF64() || wantsDouble(c)) {
    if (model > 0.0) {
      return c.error() << "expected attention with dropout to have no output "
                          "of scores, and no softmax of double, got one; "
                          "export it with attn_implementation=\"eager\"";
    }
    convertScored(c, *operands, scale);
    return success();
  }
  auto [probability, site] = model > 0.0
                                 ? addDropoutSite(c, model, /*attention=*/true)
                                 : std::pair(0.0, int64_t(0));
  Value seed = probability > 0.0 ? getSeed(c) : Value(),
        samples = probability > 0.0 ? getSampleIndices(c) : Value();
  // What lies between operands and results of 16 bits is f32.
  bool isLow = type.getElementTypeBitWidth() == 16;
  Type wide = isLow ? c.builder.getF32Type() : type.getElementType();
  Value mask = operands->mask;
  if (mask && isLow && isa<FloatType>(c.typeOf(mask).getElementType())) {
    mask = c.cast(mask, wide);
  }
  auto attention = AttentionOp::create(
      c.builder, c.loc,
      type.clone({q[0], q[1], q[2], c.typeOf(operands->value).getDimSize(3)}),
      type.clone({q[0], q[1], q[2]}).clone(wide), operands->query,
      operands->key, operands->value, mask, /*bias=*/Value(), samples, seed,
      /*site_offset=*/Value(), c.builder.getF64FloatAttr(scale),
      c.builder.getF64FloatAttr(c.getFloat("softcap", 0.0)),
      operands->isCausal ? c.builder.getUnitAttr() : UnitAttr(),
      c.builder.getF64FloatAttr(probability),
      c.builder.getI64IntegerAttr(site));
  c.setResult(0, mergeHeads(c, attention.getResult()));
  return success();
}

} // namespace accel::onnx
