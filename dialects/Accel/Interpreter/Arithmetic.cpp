// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the element-wise operations on numbers compute.
#include "dialects/Accel/Interpreter/OpFamilies.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace accel {
namespace {

template <typename Function>
Evaluation mapFloats(Operation *op, const HostTensor &operand,
                     Function function) {
  HostTensor result(getResultType(op));
  llvm::transform(operand.floats(), result.mutableFloats().begin(), function);
  return HostTensors{result};
}

/// Floats in double; integers by `integers` on uint64, which wraps, then
/// reduced to the type's width.
template <typename Floats, typename Integers>
Evaluation combineNumbers(Operation *op, ArrayRef<HostTensor> operands,
                          Floats floats, Integers integers) {
  HostTensor result(getResultType(op));
  if (result.isFloat()) {
    llvm::transform(llvm::zip_equal(operands[0].floats(), operands[1].floats()),
                    result.mutableFloats().begin(), [&](auto pair) {
                      return floats(std::get<0>(pair), std::get<1>(pair));
                    });
  } else {
    llvm::transform(
        llvm::zip_equal(operands[0].integers(), operands[1].integers()),
        result.mutableIntegers().begin(), [&](auto pair) {
          return wrapToElementType(
              integers(std::get<0>(pair), std::get<1>(pair)),
              result.getElementType());
        });
  }
  return HostTensors{result};
}

/// As IEEE 754's maximum and minimum: NaN if one of the two is.
double maximum(double lhs, double rhs) {
  return std::isnan(lhs) || lhs > rhs ? lhs : rhs;
}
double minimum(double lhs, double rhs) {
  return std::isnan(lhs) || lhs < rhs ? lhs : rhs;
}

int64_t divide(int64_t lhs, int64_t rhs) {
  // The one quotient that does not fit wraps around.
  return lhs == std::numeric_limits<int64_t>::min() && rhs == -1 ? lhs
                                                                 : lhs / rhs;
}

Evaluation evaluateDivision(DivOp op, ArrayRef<HostTensor> operands) {
  if (!operands[1].isFloat()) {
    const auto *zero = llvm::find(operands[1].integers(), 0);
    if (zero != operands[1].integers().end()) {
      return FailureOr<HostTensors>(
          op.emitOpError() << "cannot be evaluated: expected integer divisors "
                              "other than zero, got 0 at element "
                           << zero - operands[1].integers().begin());
    }
  }
  return combineNumbers(op, operands, std::divides<double>(), divide);
}

double gelu(double x, GeluApproximation approximation) {
  if (approximation == GeluApproximation::None) {
    return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
  }
  double inner = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1.0 + std::tanh(inner));
}

double geluDerivative(double x, GeluApproximation approximation) {
  if (approximation == GeluApproximation::None) {
    double bell = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    return 0.5 * std::erfc(-x / std::numbers::sqrt2) + x * bell;
  }
  double a = std::sqrt(2.0 / std::numbers::pi);
  double tanh = std::tanh(a * (x + 0.044715 * x * x * x));
  double slope = a * (1.0 + 3.0 * 0.044715 * x * x);
  return 0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * slope;
}

using NumberFunction = double (*)(double);

/// The function of one number that `op` applies to every element; null if it
/// is another operation.
NumberFunction getNumberFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, NumberFunction>(op)
      .Case([](NegOp) { return +[](double x) { return -x; }; })
      .Case([](AbsOp) { return +[](double x) { return std::fabs(x); }; })
      .Case([](ExpOp) { return +[](double x) { return std::exp(x); }; })
      .Case([](LogOp) { return +[](double x) { return std::log(x); }; })
      .Case([](SqrtOp) { return +[](double x) { return std::sqrt(x); }; })
      .Case(
          [](RsqrtOp) { return +[](double x) { return 1.0 / std::sqrt(x); }; })
      .Case([](TanhOp) { return +[](double x) { return std::tanh(x); }; })
      .Case([](ErfOp) { return +[](double x) { return std::erf(x); }; })
      .Case([](SigmoidOp) {
        return +[](double x) { return 1.0 / (1.0 + std::exp(-x)); };
      })
      .Case([](ReluOp) { return +[](double x) { return maximum(x, 0.0); }; })
      .Case([](SinOp) { return +[](double x) { return std::sin(x); }; })
      .Case([](CosOp) { return +[](double x) { return std::cos(x); }; })
      .Default(nullptr);
}

Evaluation evaluateUnary(Operation *op, ArrayRef<HostTensor> operands) {
  if (auto gelus = dyn_cast<GeluOp>(op)) {
    return mapFloats(op, operands[0], [&](double x) {
      return gelu(x, gelus.getApproximation());
    });
  }
  NumberFunction function = getNumberFunction(op);
  return function ? mapFloats(op, operands[0], function) : Evaluation();
}

Evaluation evaluateBinary(Operation *op, ArrayRef<HostTensor> operands) {
  return llvm::TypeSwitch<Operation *, Evaluation>(op)
      .Case([&](AddOp) {
        return combineNumbers(op, operands, std::plus<double>(),
                              std::plus<uint64_t>());
      })
      .Case([&](SubOp) {
        return combineNumbers(op, operands, std::minus<double>(),
                              std::minus<uint64_t>());
      })
      .Case([&](MulOp) {
        return combineNumbers(op, operands, std::multiplies<double>(),
                              std::multiplies<uint64_t>());
      })
      .Case(
          [&](DivOp division) { return evaluateDivision(division, operands); })
      .Case([&](GeluGradOp gelus) -> Evaluation {
        HostTensor result(getResultType(op));
        llvm::transform(
            llvm::zip_equal(operands[0].floats(), operands[1].floats()),
            result.mutableFloats().begin(), [&](auto pair) {
              return std::get<0>(pair) *
                     geluDerivative(std::get<1>(pair),
                                    gelus.getApproximation());
            });
        return HostTensors{result};
      })
      .Case([&](MaxOp) {
        return combineNumbers(
            op, operands, maximum,
            [](int64_t lhs, int64_t rhs) { return std::max(lhs, rhs); });
      })
      .Case([&](MinOp) {
        return combineNumbers(
            op, operands, minimum,
            [](int64_t lhs, int64_t rhs) { return std::min(lhs, rhs); });
      })
      .Case([&](PowOp) {
        return combineNumbers(
            op, operands,
            [](double base, double exponent) {
              return std::pow(base, exponent);
            },
            [](int64_t lhs, int64_t) { return lhs; });
      })
      .Default(Evaluation());
}

} // namespace

Evaluation evaluateArithmetic(Operation *op, ArrayRef<HostTensor> operands) {
  Evaluation evaluation = evaluateUnary(op, operands);
  return evaluation ? evaluation : evaluateBinary(op, operands);
}

} // namespace accel
