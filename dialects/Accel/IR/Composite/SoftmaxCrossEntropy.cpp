// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cross entropy of logits: verification and gradient.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

void SoftmaxCrossEntropyOp::build(OpBuilder &builder, OperationState &state,
                                  Value logits, Value labels) {
  auto rows = RankedTensorType::get(shapeOf(logits).take_front(),
                                    elementTypeOf(logits));
  build(builder, state, rows, rows, logits, labels);
}

LogicalResult SoftmaxCrossEntropyOp::verify() {
  // softmax_cross_entropy_c1
  if (failed(verifyRank(*this, "logits", getLogits(), 2))) {
    return failure();
  }
  ArrayRef<int64_t> rows = shapeOf(getLogits()).take_front();
  Type element = elementTypeOf(getLogits());
  return success(
      succeeded(verifyShape(*this, "labels", getLabels(), rows)) &&
      succeeded(verifyShape(*this, "losses", getLosses(), rows)) &&
      succeeded(verifyElementType(*this, "losses", getLosses(), element)) &&
      succeeded(verifyShape(*this, "lse", getLse(), rows)) &&
      succeeded(verifyElementType(*this, "lse", getLse(), element)));
}

// Of row i: (exp(logits - lse) - [column = label]) * gradient, and zero if the
// label is not a column. The probabilities come from lse, which forward has
// computed: no second pass over the row finds its maximum and sum.
LogicalResult
SoftmaxCrossEntropyOp::buildGradient(OpBuilder &builder,
                                     ValueRange resultGradients,
                                     MutableArrayRef<Value> operandGradients) {
  if (failed(refuseGradientOf(*this, "lse", resultGradients[1], "losses"))) {
    return failure();
  }
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value logits = getLogits();
  Value labels = getLabels();
  Value isClass = b.isClass(labels, shapeOf(logits)[1]);
  Value weight = b.keepWhere(isClass, gradient);

  auto indexType =
      RankedTensorType::get(shapeOf(logits), elementTypeOf(labels));
  Value column = b.create<IotaOp>(indexType, builder.getI64IntegerAttr(1));
  Value label = b.spread(labels, column, 1);
  Value hit = b.compare(ComparePredicate::EQ, column, label);
  Value probability = b.exp(b.sub(logits, b.spread(getLse(), logits, 1)));
  Value difference = b.select(hit, b.add(probability, -1.0), probability);
  operandGradients[0] = b.mul(difference, b.spread(weight, logits, 1));
  return success();
}
