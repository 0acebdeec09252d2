// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layer normalisation: verification and gradient.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

void LayerNormOp::build(OpBuilder &builder, OperationState &state,
                        Value operand, Value scale, Value bias,
                        double epsilon) {
  auto rows = RankedTensorType::get(shapeOf(operand).drop_back(),
                                    elementTypeOf(operand));
  build(builder, state, operand.getType(), rows, rows, operand, scale, bias,
        builder.getF64FloatAttr(epsilon));
}

LogicalResult LayerNormOp::verify() {
  // layer_norm_c1
  if (failed(verifyMinimumRank(*this, "operand", getOperand(), 1))) {
    return failure();
  }
  ArrayRef<int64_t> shape = shapeOf(getOperand());
  auto verifyAs = [&](StringRef name, Value value, ArrayRef<int64_t> expected) {
    return success(!value ||
                   (succeeded(verifyShape(*this, name, value, expected)) &&
                    succeeded(verifyElementType(*this, name, value,
                                                elementTypeOf(getOperand())))));
  };
  if (failed(verifyAs("scale", getScale(), shape.back())) ||
      failed(verifyAs("bias", getBias(), shape.back())) ||
      failed(verifyAs("result", getResult(), shape)) ||
      failed(verifyAs("mean", getMean(), shape.drop_back())) ||
      failed(verifyAs("rstd", getRstd(), shape.drop_back()))) {
    return failure();
  }
  // layer_norm_c2
  double epsilon = getEpsilon().convertToDouble();
  if (!(epsilon >= 0.0)) {
    return emitOpError() << "expected `epsilon` of 0 or more, got " << epsilon;
  }
  return success();
}

// With n = (x - mean) * rstd and g = gradient * scale, of which m(.) is the
// mean over a row: dx = rstd * (g - m(g) - n * m(g * n)). The statistics of
// forward are used again, so backward reads x once and keeps nothing else.
LogicalResult
LayerNormOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           MutableArrayRef<Value> operandGradients) {
  if (failed(refuseGradientOf(*this, "mean", resultGradients[1], "result")) ||
      failed(refuseGradientOf(*this, "rstd", resultGradients[2], "result"))) {
    return failure();
  }
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value x = getOperand();
  int64_t last = shapeOf(x).size() - 1;
  double columns = shapeOf(x).back();
  SmallVector<int64_t> rows = axisRange(0, last);
  auto rowMean = [&](Value value) {
    return b.spread(b.mul(b.sum(value, last), 1.0 / columns), x, last);
  };
  Value rstd = b.spread(getRstd(), x, last);
  Value normalised = b.mul(b.sub(x, b.spread(getMean(), x, last)), rstd);
  Value scaled = b.mul(gradient, b.spread(getScale(), x, rows));
  Value centered = b.sub(scaled, rowMean(scaled));
  Value projected = b.mul(normalised, rowMean(b.mul(scaled, normalised)));
  operandGradients[0] = b.mul(rstd, b.sub(centered, projected));
  operandGradients[1] = b.sum(b.mul(gradient, normalised), rows);
  if (getBias()) {
    operandGradients[2] = b.sum(gradient, rows);
  }
  return success();
}
