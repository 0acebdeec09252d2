// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of softmax and the norms. The dialect has softmax and layer norm
// over the last dimension only, and no operation for the RMS norm.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/DropoutSites.h"
#include "frontends/onnx/Builders/LogSoftmax.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;

namespace accel::onnx {
namespace {

/// The permutation that exchanges `axis` and the last dimension: its own
/// inverse.
SmallVector<int64_t> exchangeWithLast(int64_t axis, int64_t rank) {
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[axis], permutation.back());
  return permutation;
}

FailureOr<int64_t> getSoftmaxAxis(NodeConversion &c) {
  if (!isa<FloatType>(c.inputType(0).getElementType())) {
    return c.error() << "expected a float tensor, got " << c.inputType(0);
  }
  return c.normalizeAxis(c.getInt("axis", -1), c.inputType(0).getRank());
}

/// Mean and 1/deviation keep their dimensions in ONNX.
Value keepDimensions(NodeConversion &c, Value statistic, int64_t axis) {
  SmallVector<int64_t> shape(c.inputType(0).getShape().take_front(axis));
  shape.resize(c.inputType(0).getRank(), 1);
  return c.reshape(statistic, shape);
}

/// Input `i`, a scale or a bias, may have fewer dimensions than `type`, or
/// ones.
LogicalResult checkBroadcasts(NodeConversion &c, size_t i,
                              RankedTensorType type) {
  RankedTensorType given = c.inputType(i);
  FailureOr<SmallVector<int64_t>> common =
      getCommonShape(c, {type.getShape(), given.getShape()});
  if (failed(common)) {
    return failure();
  }
  if (given.getElementType() != type.getElementType() ||
      ArrayRef<int64_t>(*common) != type.getShape()) {
    return c.error() << "expected a " << (i == 1 ? "scale" : "bias")
                     << " that broadcasts to " << type << ", got " << given;
  }
  return success();
}

/// Whether a scale or a bias is the same for all rows, over the last `rank`
/// dimensions.
bool isSameForRows(NodeConversion &c, size_t i, size_t rank) {
  ArrayRef<int64_t> shape = c.inputType(i).getShape();
  return llvm::all_of(shape.drop_back(std::min(rank, shape.size())),
                      [](int64_t size) { return size == 1; });
}

} // namespace

LogicalResult convertSoftmax(NodeConversion &c) {
  FailureOr<int64_t> axis = getSoftmaxAxis(c);
  if (failed(axis)) {
    return failure();
  }
  SmallVector<int64_t> permutation =
      exchangeWithLast(*axis, c.inputType(0).getRank());
  Value operand = c.transpose(c.input(0), permutation);
  auto softmax =
      SoftmaxOp::create(c.builder, c.loc, operand.getType(), operand);
  markAttentionDropout(c, softmax, findAttentionDropout(c.node));
  c.setResult(0, c.transpose(softmax, permutation));
  return success();
}

/// x - max - ln(sum(exp(x - max))): the logarithm of a softmax would lose small
/// probabilities.
Value makeLogSoftmax(const NodeConversion &c, Value value, int64_t axis) {
  RankedTensorType type = c.typeOf(value);
  SmallVector<int64_t> reduced(type.getShape()), kept(type.getShape());
  reduced.erase(reduced.begin() + axis);
  kept[axis] = 1;
  ArrayRef<int64_t> axes(axis);
  auto widen = [&](Value row) {
    return broadcastTo(c, c.reshape(row, kept), type.getShape());
  };
  Value maximum =
      ReduceMaxOp::create(c.builder, c.loc, type.clone(reduced), value, axes);
  Value shifted = SubOp::create(c.builder, c.loc, type, value, widen(maximum));
  Value exponentials = ExpOp::create(c.builder, c.loc, type, shifted);
  Value sum = ReduceSumOp::create(c.builder, c.loc, type.clone(reduced),
                                  exponentials, axes);
  Value logarithm = LogOp::create(c.builder, c.loc, sum.getType(), sum);
  return SubOp::create(c.builder, c.loc, type, shifted, widen(logarithm));
}

LogicalResult convertLogSoftmax(NodeConversion &c) {
  FailureOr<int64_t> axis = getSoftmaxAxis(c);
  if (failed(axis)) {
    return failure();
  }
  c.setResult(0, makeLogSoftmax(c, c.input(0), *axis));
  return success();
}

/// Mean and 1 / standard deviation of each row of `rows` as results of their
/// own: those of the norm have no gradient.
static void setStatistics(NodeConversion &c, Value rows, int64_t axis) {
  ArithmeticBuilder b(c.builder, c.loc);
  RankedTensorType type = c.typeOf(rows);
  int64_t last = type.getRank() - 1;
  auto average = [&](Value value) {
    Value sum = b.create<ReduceSumOp>(type.clone(type.getShape().drop_back()),
                                      value, ArrayRef<int64_t>{last});
    return b.mul(sum, 1.0 / static_cast<double>(type.getDimSize(last)));
  };
  Value mean = average(rows);
  Value centered = b.sub(rows, b.spread(mean, rows, {last}));
  Value variance = average(b.mul(centered, centered));
  c.setResult(1, keepDimensions(c, mean, axis));
  c.setResult(
      2, keepDimensions(
             c, b.rsqrt(b.add(variance, c.getFloat("epsilon", 1e-5))), axis));
}

/// Under torch.autocast a norm of 16 bits has a scale and a bias of f32: all of
/// it is f32 but what goes in and comes out.
static Value getNormalized(NodeConversion &c) {
  Type element = c.inputType(0).getElementType();
  Type scale = c.inputType(1).getElementType();
  bool isMixed = isa<BFloat16Type, Float16Type>(element) && scale.isF32();
  return isMixed ? c.cast(c.input(0), scale) : c.input(0);
}

LogicalResult convertLayerNorm(NodeConversion &c) {
  Value x = getNormalized(c);
  RankedTensorType type = c.typeOf(x);
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", -1), type.getRank());
  if (failed(axis)) {
    return failure();
  }
  // All dimensions from `axis` on are one.
  ArrayRef<int64_t> rows = type.getShape().take_front(*axis),
                    normalized = type.getShape().drop_front(*axis);
  int64_t size = std::accumulate(normalized.begin(), normalized.end(),
                                 int64_t(1), std::multiplies<>());
  if (!isa<FloatType>(type.getElementType())) {
    return c.error() << "expected a float tensor, got " << type;
  }
  bool isPerRow = false;
  for (size_t i = 1; i < 3 && c.hasInput(i); ++i) {
    if (failed(checkBroadcasts(c, i, type))) {
      return failure();
    }
    isPerRow |= !isSameForRows(c, i, normalized.size());
  }
  SmallVector<int64_t> flat(rows);
  flat.push_back(size);
  auto flatten = [&](size_t i) {
    return c.reshape(broadcastTo(c, c.input(i), normalized), {size});
  };
  // What differs from row to row scales the norm behind it.
  Value scale = isPerRow
                    ? c.makeConstant(type.clone(ArrayRef<int64_t>{size}), 1.0)
                    : flatten(1);
  Value bias = c.hasInput(2) && !isPerRow ? flatten(2) : Value();
  auto norm = LayerNormOp::create(
      c.builder, c.loc, type.clone(flat), type.clone(rows), type.clone(rows),
      c.reshape(x, flat), scale, bias,
      c.builder.getF64FloatAttr(c.getFloat("epsilon", 1e-5)));
  Value result = c.reshape(norm.getResult(), type.getShape());
  if (isPerRow) {
    result = MulOp::create(c.builder, c.loc, type, result,
                           broadcastTo(c, c.input(1), type.getShape()));
  }
  if (isPerRow && c.hasInput(2)) {
    result = AddOp::create(c.builder, c.loc, type, result,
                           broadcastTo(c, c.input(2), type.getShape()));
  }
  c.setResult(0, c.cast(result, c.inputType(0).getElementType()));
  if (c.isResultUsed(1) || c.isResultUsed(2)) {
    setStatistics(c, c.reshape(x, flat), *axis);
  }
  return success();
}

LogicalResult convertRmsNorm(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", -1), type.getRank());
  if (failed(axis)) {
    return failure();
  }
  if (!isa<FloatType>(type.getElementType())) {
    return c.error() << "expected a float tensor, got " << type;
  }
  ArrayRef<int64_t> rows = type.getShape().take_front(*axis),
                    normalized = type.getShape().drop_front(*axis);
  if (failed(checkBroadcasts(c, 1, type.clone(normalized)))) {
    return failure();
  }
  // x * rsqrt(mean(x^2) + epsilon) * scale
  RankedTensorType statistic = type.clone(rows);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(*axis, type.getRank()));
  Value x = c.input(0), square = MulOp::create(c.builder, c.loc, type, x, x),
        sum = ReduceSumOp::create(c.builder, c.loc, statistic, square, axes);
  double count = static_cast<double>(ShapedType::getNumElements(normalized));
  Value mean = DivOp::create(c.builder, c.loc, statistic, sum,
                             c.makeConstant(statistic, count)),
        shifted = AddOp::create(
            c.builder, c.loc, statistic, mean,
            c.makeConstant(statistic, c.getFloat("epsilon", 1e-5))),
        factor = RsqrtOp::create(c.builder, c.loc, statistic, shifted);
  auto kept = llvm::to_vector(llvm::seq<int64_t>(0, *axis));
  Value widened = BroadcastOp::create(c.builder, c.loc, type, factor, kept),
        norm = MulOp::create(c.builder, c.loc, type, x, widened);
  c.setResult(0, MulOp::create(c.builder, c.loc, type, norm,
                               broadcastTo(c, c.input(1), type.getShape())));
  return success();
}

} // namespace accel::onnx
