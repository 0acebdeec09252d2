// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that draw random numbers, dropout and random_normal: verification
// and gradients.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/RandomChecks.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

LogicalResult accel::verifyProbability(Operation *op,
                                       const APFloat &probability) {
  double value = probability.convertToDouble();
  if (value >= 0.0 && value < 1.0) {
    return success();
  }
  return op->emitOpError()
         << "expected `probability` to be at least 0 and less than 1, got "
         << value;
}

LogicalResult DropoutOp::verify() {
  // dropout_c1
  if (failed(verifyMinimumRank(*this, "operand", getOperand(), 1)) ||
      failed(verifyRank(*this, "samples", getSamples(), 1)) ||
      failed(verifyRank(*this, "seed", getSeed(), 0))) {
    return failure();
  }
  int64_t rows = shapeOf(getOperand()).front();
  int64_t samples = shapeOf(getSamples()).front();
  bool known = !ShapedType::isDynamic(rows) && !ShapedType::isDynamic(samples);
  if (known && (samples == 0 || rows % samples != 0)) {
    return emitOpError() << "expected the first dimension of `operand` to be a "
                            "multiple of the "
                         << samples << " of `samples`, got " << rows;
  }
  // dropout_c2
  if (failed(verifyProbability(*this, getProbability()))) {
    return failure();
  }
  // dropout_c3
  if (getFactor() && !getProbability().isZero()) {
    return emitOpError() << "expected `probability` 0 with a `factor`, got "
                         << getProbability().convertToDouble();
  }
  return success();
}

// Dropout is linear in its operand: its transpose is itself, with the same
// elements dropped, or the same factors.
LogicalResult
DropoutOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                         MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.create<DropoutOp>(gradient, getSamples(), getSeed(),
                                            getProbabilityAttr(), getSiteAttr(),
                                            getSiteOffset(), getFactorAttr());
  return success();
}

LogicalResult RandomNormalOp::verify() {
  // random_normal_c1
  double deviation = getDeviation().convertToDouble();
  if (!(deviation >= 0.0)) {
    return emitOpError() << "expected `deviation` of 0 or more, got "
                         << deviation;
  }
  return verifyRank(*this, "seed", getSeed(), 0);
}

LogicalResult RandomNormalOp::buildGradient(OpBuilder &, ValueRange,
                                            MutableArrayRef<Value>) {
  return success();
}
