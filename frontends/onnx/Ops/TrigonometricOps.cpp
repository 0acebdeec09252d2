// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of trigonometric and hyperbolic functions and their inverses,
// written with exponentials, logarithms and polynomials. Where a formula would
// cancel, a series takes its place, so that small numbers keep their digits.
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace accel::onnx {
namespace {

/// x * (c[0] + c[1] x^2 + c[2] x^4 + ...)
Value makeSeries(const Formula &f, Value x, ArrayRef<double> coefficients) {
  Value square = f.mul(x, x), sum = f.number(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back())) {
    sum = f.add(f.mul(sum, square), f.number(coefficient));
  }
  return f.mul(x, sum);
}

/// `near` where |x| is below `limit`, `far` elsewhere; each is computed of a
/// number where it is meant.
template <typename Near, typename Far>
Value byMagnitude(const Formula &f, Value x, double limit, Near near, Far far) {
  Value isNear = f.less(f.abs(x), f.number(limit));
  return f.select(isNear, near(f.select(isNear, x, f.number(0))),
                  far(f.select(isNear, f.number(limit), x)));
}

Value makeArc(const Formula &f, Value x) {
  return makeSeries(f, x,
                    {1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11,
                     1.0 / 13, -1.0 / 15, 1.0 / 17});
}

Value withSignOf(const Formula &f, Value x, Value magnitude) {
  return f.select(f.less(x, f.number(0)), f.sub(f.number(0), magnitude),
                  magnitude);
}

/// Numbers above tan(pi / 8) are turned by pi / 4, and those above tan(3 pi /
/// 8) by pi / 2; the series of what is left has 2^-24 of the result after eight
/// terms.
Value makeAtan(const Formula &f, Value x) {
  constexpr double pi = std::numbers::pi;
  return byMagnitude(
      f, x, std::tan(pi / 8), [&](Value near) { return makeArc(f, near); },
      [&](Value far) {
        Value size = f.abs(far), one = f.number(1);
        Value isHigh = f.greater(size, f.number(std::tan(3 * pi / 8)));
        Value turned = f.select(isHigh, f.div(f.number(-1), size),
                                f.div(f.sub(size, one), f.add(size, one)));
        Value angle = f.select(isHigh, f.number(pi / 2), f.number(pi / 4));
        return withSignOf(f, far, f.add(angle, makeArc(f, turned)));
      });
}

/// The arc of x / sqrt(1 - x^2), which is infinite at 1.
Value makeAsin(const Formula &f, Value x) {
  Value rest = f.mul(f.sub(f.number(1), x), f.add(f.number(1), x));
  return makeAtan(f, f.div(x, f.sqrt(rest)));
}

Value makeAcos(const Formula &f, Value x) {
  return f.sub(f.number(std::numbers::pi / 2), makeAsin(f, x));
}

Value makeSinh(const Formula &f, Value x) {
  return byMagnitude(
      f, x, 0.5,
      [&](Value near) {
        return makeSeries(f, near,
                          {1.0, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880});
      },
      [&](Value far) {
        return f.scale(0.5, f.sub(f.exp(far), f.exp(f.scale(-1, far))));
      });
}

Value makeCosh(const Formula &f, Value x) {
  return f.scale(0.5, f.add(f.exp(x), f.exp(f.scale(-1, x))));
}

Value makeAsinh(const Formula &f, Value x) {
  return byMagnitude(
      f, x, 0.25,
      [&](Value near) {
        return makeSeries(f, near,
                          {1.0, -1.0 / 6, 3.0 / 40, -15.0 / 336, 105.0 / 3456,
                           -945.0 / 42240});
      },
      [&](Value far) {
        Value size = f.abs(far);
        Value root = f.sqrt(f.add(f.mul(size, size), f.number(1)));
        return withSignOf(f, far, f.log(f.add(size, root)));
      });
}

Value makeAcosh(const Formula &f, Value x) {
  Value rest = f.mul(f.sub(x, f.number(1)), f.add(x, f.number(1)));
  return f.log(f.add(x, f.sqrt(rest)));
}

Value makeAtanh(const Formula &f, Value x) {
  return byMagnitude(
      f, x, 0.25,
      [&](Value near) {
        return makeSeries(
            f, near,
            {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13});
      },
      [&](Value far) {
        Value one = f.number(1);
        return f.scale(0.5, f.log(f.div(f.add(one, far), f.sub(one, far))));
      });
}

} // namespace

LogicalResult convertTrigonometric(NodeConversion &c) {
  using Maker = Value (*)(const Formula &, Value);
  StringRef name = c.node.op_type();
  auto make = llvm::StringSwitch<Maker>(name)
                  .Case("Acos", makeAcos)
                  .Case("Acosh", makeAcosh)
                  .Case("Asin", makeAsin)
                  .Case("Asinh", makeAsinh)
                  .Case("Atan", makeAtan)
                  .Case("Atanh", makeAtanh)
                  .Case("Cosh", makeCosh)
                  .Case("Sinh", makeSinh)
                  .Default(nullptr);
  Type element = c.inputType(0).getElementType();
  if (!isa<FloatType>(element) || element.isF64()) {
    return c.error() << "expected floats of at most 32 bits, whose digits the "
                        "series have, got "
                     << c.inputType(0);
  }
  Formula f(c, c.inputType(0));
  if (make) {
    c.setResult(0, make(f, c.input(0)));
    return success();
  }
  Type type = c.inputType(0);
  c.setResult(0, f.div(SinOp::create(c.builder, c.loc, type, c.input(0)),
                       CosOp::create(c.builder, c.loc, type, c.input(0))));
  return success();
}

} // namespace accel::onnx
