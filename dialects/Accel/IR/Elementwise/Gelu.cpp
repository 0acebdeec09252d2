// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of both forms of the Gaussian error linear unit, and the
// primitives that they stand for.
#include "dialects/Accel/IR/GradientBuilder.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace accel;

/// The derivative of x * Phi(x): Phi(x) + x * phi(x), by the error function.
static Value buildExactDerivative(ArithmeticBuilder &b, Value x) {
  Value erf = b.create<ErfOp>(b.mul(x, 1.0 / std::numbers::sqrt2));
  Value distribution = b.mul(b.add(erf, 1.0), 0.5);
  Value bell = b.exp(b.mul(b.mul(x, x), -0.5));
  double height = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return b.add(distribution, b.mul(b.mul(x, bell), height));
}

/// The derivative of x / 2 * (1 + tanh(u)), u = a * (x + c * x^3): the form's
/// own, not the exact function's, from which it differs by up to 1e-3.
static Value buildTanhDerivative(ArithmeticBuilder &b, Value x) {
  constexpr double c = 0.044715;
  double a = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  Value square = b.mul(x, x);
  Value u = b.mul(b.mul(x, b.add(b.mul(square, c), 1.0)), a);
  Value tanh = b.create<TanhOp>(u);
  Value slope = b.mul(b.add(b.mul(square, 3.0 * c), 1.0), a);
  Value one = b.constant(tanh, 1.0);
  Value bend = b.mul(b.mul(x, b.sub(one, b.mul(tanh, tanh))), slope);
  return b.mul(b.add(b.add(tanh, 1.0), bend), 0.5);
}

Value GeluOp::expand(OpBuilder &builder) {
  ArithmeticBuilder b(builder, getLoc());
  Value x = getOperand();
  if (getApproximation() == GeluApproximation::None) {
    Value erf = b.create<ErfOp>(b.mul(x, std::sqrt(0.5)));
    return b.mul(b.mul(x, 0.5), b.add(erf, 1.0));
  }
  // x * sigmoid(2u) equals 0.5 x (1 + tanh u), without the cancellation of 1 +
  // tanh in the left tail.
  Value cubic = b.mul(b.mul(b.mul(x, x), x), 0.044715);
  Value twice = b.mul(b.add(x, cubic), 2.0 * std::sqrt(2.0 / M_PI));
  return b.mul(x, b.create<SigmoidOp>(twice));
}

LogicalResult GeluOp::buildGradient(OpBuilder &builder,
                                    ValueRange resultGradients,
                                    MutableArrayRef<Value> operandGradients) {
  if (Value gradient = resultGradients[0]) {
    GradientBuilder b(builder, *this);
    operandGradients[0] =
        b.create<GeluGradOp>(getApproximation(), gradient, getOperand());
  }
  return success();
}

Value GeluGradOp::expand(OpBuilder &builder) {
  ArithmeticBuilder b(builder, getLoc());
  Value x = b.cast(getOperand(), getType().getElementType());
  Value derivative = getApproximation() == GeluApproximation::Tanh
                         ? buildTanhDerivative(b, x)
                         : buildExactDerivative(b, x);
  return b.mul(getGradient(), derivative);
}

LogicalResult GeluGradOp::buildGradient(OpBuilder &, ValueRange resultGradients,
                                        MutableArrayRef<Value>) {
  return resultGradients[0]
             ? emitOpError("expected no gradient through a gradient, got one: "
                           "second derivatives of GELU are not supported")
             : success();
}
