// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of both forms of the Gaussian error linear unit.
#include "dialects/Accel/IR/GradientBuilder.h"

#include <numbers>

using namespace mlir;
using namespace accel;

/// The derivative of x * Phi(x): Phi(x) + x * phi(x), by the error function.
static Value buildExactDerivative(GradientBuilder &b, Value x) {
  Value erf = b.create<ErfOp>(b.mul(x, 1.0 / std::numbers::sqrt2));
  Value distribution = b.mul(b.add(erf, 1.0), 0.5);
  Value bell = b.exp(b.mul(b.mul(x, x), -0.5));
  double height = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return b.add(distribution, b.mul(b.mul(x, bell), height));
}

/// The derivative of x / 2 * (1 + tanh(u)), u = a * (x + c * x^3): the form's
/// own, not the exact function's, from which it differs by up to 1e-3.
static Value buildTanhDerivative(GradientBuilder &b, Value x) {
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

LogicalResult GeluOp::buildGradient(OpBuilder &builder,
                                    ValueRange resultGradients,
                                    MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  Value derivative = getApproximation() == GeluApproximation::Tanh
                         ? buildTanhDerivative(b, getOperand())
                         : buildExactDerivative(b, getOperand());
  operandGradients[0] = b.mul(gradient, derivative);
  return success();
}
