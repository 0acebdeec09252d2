// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch normalisation: verification and gradient.
#include "dialects/Accel/IR/Composite/BatchNorm.h"

#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

Value accel::sumOverRanks(ArithmeticBuilder &b, BatchNormOp op, Value value) {
  return op.getSynchronized() ? b.create<SumOverRanksOp>(value.getType(), value)
                              : value;
}

/// How many indices of dimension `along` count.
static Value countIndices(ArithmeticBuilder &b, BatchNormOp op) {
  if (op.getWeights()) {
    return b.sum(op.getWeights(), 0);
  }
  auto type = RankedTensorType::get({}, elementTypeOf(op.getOperand()));
  return b.constant(
      type, static_cast<double>(shapeOf(op.getOperand())[op.getAlong()]));
}

/// `indices` times the elements of a channel that each of them has.
static Value countElements(ArithmeticBuilder &b, BatchNormOp op,
                           Value indices) {
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  int64_t each =
      elementCount(op.getOperand()) / shape[1] / shape[op.getAlong()];
  return b.mul(indices, static_cast<double>(each));
}

Value accel::buildOwnCount(ArithmeticBuilder &b, BatchNormOp op) {
  return countElements(b, op, countIndices(b, op));
}

// Ranks exchange indices: these are the same for all batch norms of a model,
// and one message is enough.
Value accel::buildCount(ArithmeticBuilder &b, BatchNormOp op) {
  return countElements(b, op, sumOverRanks(b, op, countIndices(b, op)));
}

Value accel::keepCounted(ArithmeticBuilder &b, BatchNormOp op, Value value) {
  if (!op.getWeights()) {
    return value;
  }
  int64_t along = op.getAlong();
  return b.mul(value, b.create<BroadcastOp>(value.getType(), op.getWeights(),
                                            ArrayRef<int64_t>(along)));
}

Value accel::buildRstd(ArithmeticBuilder &b, Value variance, double epsilon) {
  return b.rsqrt(b.add(variance, epsilon));
}

Value accel::buildRstd(ArithmeticBuilder &b, BatchNormOp op, Value variance,
                       Value count) {
  Value rstd = buildRstd(b, variance, op.getEpsilon().convertToDouble());
  if (!op.getWeights() && !op.getSynchronized()) {
    // The number is known.
    return elementCount(op.getOperand()) / shapeOf(op.getOperand())[1] < 2
               ? b.constant(rstd, 0.0)
               : rstd;
  }
  Value isMany = b.compare(ComparePredicate::GE, count, 2.0);
  auto type = cast<RankedTensorType>(rstd.getType());
  return b.keepWhere(b.repeat(isMany, type.clone(elementTypeOf(isMany))), rstd);
}

Value accel::buildNormalised(ArithmeticBuilder &b, Value x, Value mean,
                             Value rstd, Value scale, Value bias) {
  SmallVector<int64_t> others = otherAxes(shapeOf(x).size(), {1});
  auto spread = [&](Value channels) { return b.spread(channels, x, others); };
  Value normalised = b.mul(b.sub(x, spread(mean)), spread(rstd));
  return b.add(b.mul(normalised, spread(scale)), spread(bias));
}

/// `one` and `other`, sums for each channel, over all that `op` takes its
/// statistics of; in one message where ranks have them together.
static std::pair<Value, Value>
sumBothOverRanks(ArithmeticBuilder &b, BatchNormOp op, Value one, Value other) {
  if (!op.getSynchronized()) {
    return {one, other};
  }
  Value both = sumOverRanks(b, op, b.concat({one, other}));
  auto take = [&](int64_t begin) {
    return b.create<SliceOp>(one.getType(), both, ArrayRef<int64_t>{begin},
                             ArrayRef<int64_t>{1});
  };
  Value first = take(0);
  return {first, take(shapeOf(one).front())};
}

LogicalResult BatchNormOp::verify() {
  // batch_norm_c1
  if (failed(verifyMinimumRank(*this, "operand", getOperand(), 2))) {
    return failure();
  }
  ArrayRef<int64_t> shape = shapeOf(getOperand());
  int64_t along = getAlong();
  if (along < 0 || along == 1 || along >= std::ssize(shape)) {
    return emitOpError() << "expected `along` to be a dimension of the operand "
                            "that does not count channels, got "
                         << along;
  }
  auto verifyAs = [&](StringRef name, Value value, int64_t size) {
    return success(!value ||
                   (succeeded(verifyShape(*this, name, value, {size})) &&
                    succeeded(verifyElementType(*this, name, value,
                                                elementTypeOf(getOperand())))));
  };
  if (failed(verifyAs("scale", getScale(), shape[1])) ||
      failed(verifyAs("weights", getWeights(), shape[along]))) {
    return failure();
  }
  // batch_norm_c2
  double epsilon = getEpsilon().convertToDouble();
  double momentum = getMomentum().convertToDouble();
  if (!(epsilon >= 0.0)) {
    return emitOpError() << "expected `epsilon` of 0 or more, got " << epsilon;
  }
  if (!(momentum >= 0.0 && momentum <= 1.0)) {
    return emitOpError() << "expected `momentum` in [0, 1], got " << momentum;
  }
  return success();
}

// With n = (x - mean) * rstd, g the gradient and m(.) the sum over what counts,
// divided by its number: dx = rstd * scale * (g - w * m(g) - w * n * m(g * n)).
// What has weight 0 is normalised by the others' statistics and changes none;
// if fewer than two elements count, rstd is 0: without a variance, layer behind
// layer would divide by sqrt(epsilon) what nobody reads, until it is infinite.
// The sums over g go over all rows: those of weight 0 change scale and bias if
// they have a gradient. m(.) is taken over all ranks if the statistics are; the
// gradients of scale and bias are summed over ranks as all are, after the loop.
LogicalResult
BatchNormOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           MutableArrayRef<Value> operandGradients) {
  if (failed(refuseGradientOf(*this, "mean", resultGradients[1], "result")) ||
      failed(
          refuseGradientOf(*this, "variance", resultGradients[2], "result"))) {
    return failure();
  }
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value x = getOperand();
  SmallVector<int64_t> others = otherAxes(shapeOf(x).size(), {1});
  auto spread = [&](Value channels) { return b.spread(channels, x, others); };
  Value count = buildCount(b, *this);
  Value rstd = buildRstd(b, *this, getVariance(), count);
  Value normalised = b.mul(b.sub(x, spread(getMean())), spread(rstd));
  Value bias = b.sum(gradient, others);
  Value scale = b.sum(b.mul(gradient, normalised), others);
  // Of an empty microbatch, all of which is padding, no gradient is left.
  auto [allBias, allScale] = sumBothOverRanks(b, *this, bias, scale);
  Value most = b.max(count, b.constant(count, 1.0));
  Value share = b.div(b.constant(count, 1.0), most);
  Value moved =
      b.mul(b.repeat(share, cast<RankedTensorType>(x.getType())),
            b.add(spread(allBias), b.mul(normalised, spread(allScale))));
  operandGradients[0] = b.mul(spread(b.mul(rstd, getScale())),
                              b.sub(gradient, keepCounted(b, *this, moved)));
  operandGradients[1] = scale;
  operandGradients[2] = bias;
  return success();
}
