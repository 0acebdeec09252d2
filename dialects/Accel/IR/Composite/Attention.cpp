// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient: verification, cost and gradient rule.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/RandomChecks.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace accel;

/// Verifies the dropout operands that both operations have.
template <typename OpTy>
static LogicalResult verifyDropoutOperands(OpTy op, int64_t batch) {
  // attention_c2, attention_grad_c2
  if (failed(verifyProbability(op, op.getProbability()))) {
    return failure();
  }
  bool drops = op.getProbability().convertToDouble() > 0.0;
  if (drops != static_cast<bool>(op.getSamples()) ||
      drops != static_cast<bool>(op.getSeed())) {
    return op.emitOpError()
           << "expected `samples` and `seed` exactly if `probability` is "
              "positive, got probability "
           << op.getProbability().convertToDouble()
           << (op.getSamples() ? " with" : " without") << " `samples` and"
           << (op.getSeed() ? " with" : " without") << " `seed`";
  }
  if (!drops) {
    if (op.getSite() == 0 && !op.getSiteOffset()) {
      return success();
    }
    return op.emitOpError()
           << "expected `site` 0 and no `site_offset` without dropout, got "
           << op.getSite() << (op.getSiteOffset() ? " plus an offset" : "");
  }
  return success(
      succeeded(verifyShape(op, "samples", op.getSamples(), batch)) &&
      succeeded(verifyRank(op, "seed", op.getSeed(), 0)));
}

/// Verifies an additive or boolean mask against the shape of the scores.
static LogicalResult verifyMask(Operation *op, Value mask,
                                ArrayRef<int64_t> scores, Type element) {
  if (failed(verifyRank(op, "mask", mask, 4))) {
    return failure();
  }
  ArrayRef<int64_t> shape = shapeOf(mask);
  for (int64_t i = 0; i < 4; ++i) {
    bool isRepeated = i < 3 && shape[i] == 1;
    if (!isRepeated && !fits(shape[i], scores[i])) {
      return op->emitOpError()
             << "expected `mask` of shape " << shapeText(scores)
             << ", all but the last dimension of it possibly 1, got "
             << shapeText(shape);
    }
  }
  if (elementTypeOf(mask).isInteger(1) || elementTypeOf(mask) == element) {
    return success();
  }
  return op->emitOpError() << "expected `mask` of element type i1 or "
                           << element << ", got " << elementTypeOf(mask);
}

/// Verifies what is added to the scores of all samples.
static LogicalResult verifyBias(Operation *op, Value bias,
                                ArrayRef<int64_t> scores, Type element) {
  if (failed(verifyRank(op, "bias", bias, 4)) ||
      failed(verifyElementType(op, "bias", bias, element))) {
    return failure();
  }
  ArrayRef<int64_t> shape = shapeOf(bias);
  bool isFitting = shape[0] == 1 && fits(shape[3], scores[3]);
  for (int64_t i : {1, 2}) {
    isFitting &= shape[i] == 1 || fits(shape[i], scores[i]);
  }
  if (isFitting) {
    return success();
  }
  return op->emitOpError()
         << "expected `bias` of shape "
         << shapeText({1, scores[1], scores[2], scores[3]})
         << ", all but the last dimension of it possibly 1, got "
         << shapeText(shape);
}

/// Of scores, their masks and the logarithms of their sums: operands of 16 bits
/// are computed with in f32.
static Type getLseType(Type element) {
  return element.getIntOrFloatBitWidth() == 16
             ? Float32Type::get(element.getContext())
             : element;
}

static LogicalResult verifySoftcap(Operation *op, double softcap) {
  if (softcap >= 0.0 && std::isfinite(softcap)) {
    return success();
  }
  return op->emitOpError() << "expected a `softcap` that is positive, or 0 "
                              "where scores have no bound, got "
                           << softcap;
}

/// Verifies what both operations have: query, key, value, mask, bias, dropout,
/// result and lse.
template <typename OpTy> static LogicalResult verifyAttention(OpTy op) {
  Value query = op.getQuery();
  Value key = op.getKey();
  Value value = op.getValue();
  // attention_c1, attention_grad_c1
  if (failed(verifyRank(op, "query", query, 4)) ||
      failed(verifyRank(op, "key", key, 4)) ||
      failed(verifyRank(op, "value", value, 4))) {
    return failure();
  }
  ArrayRef<int64_t> q = shapeOf(query);
  int64_t s = shapeOf(key)[2];
  int64_t e = shapeOf(value)[3];
  int64_t keyHeads = shapeOf(key)[1];
  Type element = elementTypeOf(query);
  bool isKnown =
      !ShapedType::isDynamic(q[1]) && !ShapedType::isDynamic(keyHeads);
  if (isKnown && (keyHeads == 0 || q[1] % keyHeads != 0)) {
    return op.emitOpError()
           << "expected a number of heads of `key` that divides the " << q[1]
           << " heads of `query`, got " << keyHeads;
  }
  auto verifyAs = [&](StringRef name, Value tensor, ArrayRef<int64_t> shape) {
    return success(succeeded(verifyShape(op, name, tensor, shape)) &&
                   succeeded(verifyElementType(op, name, tensor, element)));
  };
  if (failed(verifyAs("key", key, {q[0], keyHeads, s, q[3]})) ||
      failed(verifyAs("value", value, {q[0], keyHeads, s, e})) ||
      failed(verifyAs("result", op.getResult(), {q[0], q[1], q[2], e})) ||
      failed(verifyShape(op, "lse", op.getLse(), q.take_front(3))) ||
      failed(verifyElementType(op, "lse", op.getLse(), getLseType(element)))) {
    return failure();
  }
  int64_t scores[] = {q[0], q[1], q[2], s};
  if ((op.getMask() &&
       failed(verifyMask(op, op.getMask(), scores, getLseType(element)))) ||
      (op.getBias() &&
       failed(verifyBias(op, op.getBias(), scores, getLseType(element))))) {
    return failure();
  }
  // attention_c3, attention_grad_c3
  return success(
      succeeded(verifySoftcap(op, op.getSoftcap().convertToDouble())) &&
      succeeded(verifyDropoutOperands(op, q[0])));
}

/// The scores (b, h, t, s) that are allowed by causality; 0 while a size is not
/// known.
static int64_t scoreCount(Value query, Value key, bool isCausal) {
  ArrayRef<int64_t> q = shapeOf(query);
  int64_t columns = shapeOf(key)[2];
  if (llvm::any_of(q, ShapedType::isDynamic) ||
      ShapedType::isDynamic(columns)) {
    return 0;
  }
  int64_t perHead = q[2] * columns;
  if (isCausal) {
    perHead = 0;
    for (int64_t row = 0; row < q[2]; ++row) {
      perHead += std::clamp<int64_t>(row + 1 + columns - q[2], 0, columns);
    }
  }
  return q[0] * q[1] * perHead;
}

void AttentionOp::build(OpBuilder &builder, OperationState &state, Value query,
                        Value key, Value value, Value mask, Value samples,
                        Value seed, double scale, bool causal,
                        double probability, int64_t site) {
  SmallVector<int64_t> shape(shapeOf(query));
  auto rows = RankedTensorType::get(ArrayRef(shape).drop_back(),
                                    getLseType(elementTypeOf(query)));
  shape.back() = shapeOf(value).back();
  auto type = RankedTensorType::get(shape, elementTypeOf(query));
  build(builder, state, type, rows, query, key, value, mask, /*bias=*/Value(),
        samples, seed, /*site_offset=*/Value(), builder.getF64FloatAttr(scale),
        /*softcap=*/builder.getF64FloatAttr(0.0),
        causal ? builder.getUnitAttr() : UnitAttr(),
        builder.getF64FloatAttr(probability), builder.getI64IntegerAttr(site));
}

LogicalResult AttentionOp::verify() { return verifyAttention(*this); }

LogicalResult AttentionGradOp::verify() {
  if (failed(verifyAttention(*this))) {
    return failure();
  }
  Value gradient = getBiasGradient();
  if (!gradient) {
    return success();
  }
  // attention_grad_c1
  if (!getBias()) {
    return emitOpError("expected a `bias` whose gradient `bias_gradient` is, "
                       "got none");
  }
  ArrayRef<int64_t> q = shapeOf(getQuery());
  int64_t shape[] = {1, q[1], q[2], shapeOf(getKey())[2]};
  return success(
      succeeded(verifyShape(*this, "bias_gradient", gradient, shape)) &&
      succeeded(verifyElementType(*this, "bias_gradient", gradient,
                                  elementTypeOf(getBias()))));
}

/// A gradient that nobody reads is not computed: without it, samples need not
/// wait for each other.
LogicalResult AttentionGradOp::canonicalize(AttentionGradOp op,
                                            PatternRewriter &rewriter) {
  Value unused = op.getBiasGradient();
  if (!unused || !unused.use_empty()) {
    return failure();
  }
  SmallVector<Type> types(llvm::drop_end(op->getResultTypes()));
  auto without = AttentionGradOp::create(rewriter, op.getLoc(), types,
                                         op->getOperands(), op->getAttrs());
  for (auto [from, to] :
       llvm::zip_first(without->getResults(), op->getResults().drop_back())) {
    rewriter.replaceAllUsesWith(to, from);
  }
  rewriter.eraseOp(op);
  return success();
}

int64_t AttentionOp::getFlops() {
  int64_t d = shapeOf(getQuery())[3];
  int64_t e = shapeOf(getValue())[3];
  return 2 * scoreCount(getQuery(), getKey(), getCausal()) * (d + e);
}

int64_t AttentionGradOp::getFlops() {
  // Scores and their gradient to query and key; probabilities and value.
  int64_t d = shapeOf(getQuery())[3];
  int64_t e = shapeOf(getValue())[3];
  return 2 * scoreCount(getQuery(), getKey(), getCausal()) * (3 * d + 2 * e);
}

/// The scores with the bias and the mask of `op`; those that causality forbids
/// are minus infinity.
static Value buildMaskedScores(GradientBuilder &b, AttentionOp op,
                               Value scores) {
  double softcap = op.getSoftcap().convertToDouble();
  if (softcap != 0.0) {
    Value bounded = b.create<TanhOp>(b.mul(scores, 1.0 / softcap));
    scores = b.mul(bounded, softcap);
  }
  for (Value added : {op.getBias(), op.getMask()}) {
    if (added) {
      scores = b.add(scores, b.create<BroadcastOp>(scores.getType(), added,
                                                   axisRange(0, 4)));
    }
  }
  if (!op.getCausal()) {
    return scores;
  }
  ArrayRef<int64_t> shape = shapeOf(scores);
  auto indexType =
      RankedTensorType::get(shape, IntegerType::get(op.getContext(), 64));
  Builder attributes(op.getContext());
  Value row = b.create<IotaOp>(indexType, attributes.getI64IntegerAttr(2));
  Value column = b.create<IotaOp>(indexType, attributes.getI64IntegerAttr(3));
  Value lastColumn = b.add(row, static_cast<double>(shape[3] - shape[2]));
  Value allowed = b.compare(ComparePredicate::LE, column, lastColumn);
  Value never = b.constant(scores, -std::numeric_limits<double>::infinity());
  return b.select(allowed, scores, never);
}

/// Keys or values as every head of `query` reads them.
static Value repeatHeads(GradientBuilder &b, Value keys, Value query) {
  auto type = cast<RankedTensorType>(keys.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t heads = shapeOf(query)[1];
  if (shape[1] == heads) {
    return keys;
  }
  SmallVector<int64_t> repeated{shape[0], shape[1], heads / shape[1], shape[2],
                                shape[3]};
  Value wide = b.create<BroadcastOp>(type.clone(repeated), keys,
                                     ArrayRef<int64_t>{0, 1, 3, 4});
  shape[1] = heads;
  return b.create<ReshapeOp>(type.clone(shape), wide);
}

/// What the dropout of `op` makes of `scores`, in the terms of accel.dropout:
/// it counts 64 columns as 16 blocks of 4 elements that lie 16 apart.
static Value buildScoreDropout(GradientBuilder &b, AttentionOp op,
                               Value scores) {
  if (!op.getSamples()) {
    return scores;
  }
  auto type = cast<RankedTensorType>(scores.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t columns = shape[3];
  shape[3] = llvm::alignTo(columns, 64);
  SmallVector<int64_t> none(4, 0);
  SmallVector<int64_t> steps(4, 1);
  Value x = scores;
  if (shape[3] != columns) {
    x = b.create<PadOp>(type.clone(shape), x, none, steps);
  }
  Type wide = x.getType();
  SmallVector<int64_t> words{shape[0],      shape[1], shape[2],
                             shape[3] / 64, 4,        16};
  SmallVector<int64_t> blocks(words);
  std::swap(blocks[4], blocks[5]);
  SmallVector<int64_t> swapLast{0, 1, 2, 3, 5, 4};
  x = b.create<ReshapeOp>(type.clone(words), x);
  x = b.create<TransposeOp>(type.clone(blocks), x, swapLast);
  x = b.create<DropoutOp>(x, op.getSamples(), op.getSeed(),
                          op.getProbabilityAttr(), op.getSiteAttr(),
                          op.getSiteOffset(), RandomFactorAttr());
  x = b.create<TransposeOp>(type.clone(words), x, swapLast);
  x = b.create<ReshapeOp>(wide, x);
  return shape[3] == columns ? x : b.create<SliceOp>(type, x, none, steps);
}

/// The gradient of an additive mask: that of the scores, summed over what the
/// mask repeats. It is built from primitives, because a mask that is learned (a
/// position bias) is rare; where nothing asks for it, it is dead code.
static Value buildMaskGradient(GradientBuilder &b, AttentionOp op,
                               Value gradient) {
  Value query = op.getQuery();
  Value keys = repeatHeads(b, op.getKey(), query);
  Value raw = b.create<MatmulOp>(query, keys, false, true);
  Value scaled = b.mul(raw, op.getScale().convertToDouble());
  Value scores = buildMaskedScores(b, op, scaled);
  // A row without any allowed column has lse = -inf: 0 there gives exp(-inf).
  Value lse = op.getLse();
  double infinity = std::numeric_limits<double>::infinity();
  Value isEmpty = b.compare(ComparePredicate::EQ, lse, -infinity);
  Value safe = b.select(isEmpty, b.constant(lse, 0.0), lse);
  Value probabilities = b.exp(b.sub(scores, b.spread(safe, scores, 3)));

  Value values = repeatHeads(b, op.getValue(), query);
  Value flow = buildScoreDropout(
      b, op, b.create<MatmulOp>(gradient, values, false, true));
  Value total = b.sum(b.mul(gradient, op.getResult()), 3);
  Value centered = b.sub(flow, b.spread(total, flow, 3));
  Value scoreGradient = b.mul(probabilities, centered);
  return b.sumToOperand(scoreGradient, op.getMask(), axisRange(0, 4));
}

/// Whether `operand` is added to scores and may be learned.
static bool isVariable(Value operand) {
  return operand && isFloatTensor(operand) &&
         !matchPattern(operand, m_Constant());
}

LogicalResult
AttentionOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           MutableArrayRef<Value> operandGradients) {
  if (failed(refuseGradientOf(*this, "lse", resultGradients[1], "result"))) {
    return failure();
  }
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  Value mask = getMask(), bias = getBias();
  ArrayRef<int64_t> q = shapeOf(getQuery());
  Type biasType;
  if (isVariable(bias)) {
    biasType = RankedTensorType::get({1, q[1], q[2], shapeOf(getKey())[2]},
                                     elementTypeOf(bias));
  }
  auto gradients = AttentionGradOp::create(
      builder, getLoc(), getQuery().getType(), getKey().getType(),
      getValue().getType(), biasType, gradient, getQuery(), getKey(),
      getValue(), getResult(), getLse(), mask, bias, getSamples(), getSeed(),
      getSiteOffset(), getScaleAttr(), getSoftcapAttr(), getCausalAttr(),
      getProbabilityAttr(), getSiteAttr());
  llvm::copy(gradients->getResults().take_front(3), operandGradients.begin());
  GradientBuilder b(builder, *this);
  if (isVariable(mask)) {
    operandGradients[3] = buildMaskGradient(b, *this, gradient);
  }
  if (biasType) {
    operandGradients[mask ? 4 : 3] =
        b.sumToOperand(gradients.getBiasGradient(), bias, axisRange(0, 4));
  }
  return success();
}

LogicalResult AttentionGradOp::buildGradient(OpBuilder &,
                                             ValueRange resultGradients,
                                             MutableArrayRef<Value>) {
  if (llvm::none_of(resultGradients, [](Value gradient) {
        return static_cast<bool>(gradient);
      })) {
    return success();
  }
  return emitOpError("expected no gradient through a gradient, got one: second "
                     "derivatives of attention are not supported; make the "
                     "objective depend on accel.attention's result instead");
}
