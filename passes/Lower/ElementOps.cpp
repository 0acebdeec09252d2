// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One element of every element-wise operation.
#include "passes/Lower/ElementOps.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Conversions.h"
#include "passes/Lower/QuantizeOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace accel;

Value accel::emitConstant(OpBuilder &builder, ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense || !dense.isSplat()) {
    return {};
  }
  auto element = dense.getSplatValue<Attribute>();
  if (const SmallFloat *format = SmallFloat::get(dense.getElementType())) {
    element = builder.getIntegerAttr(
        builder.getIntegerType(format->getWidth()),
        cast<FloatAttr>(element).getValue().bitcastToAPInt());
  } else if (auto integer = dyn_cast<IntegerAttr>(element)) {
    // Arithmetic knows no sign of types: a code is a byte.
    Type signless =
        builder.getIntegerType(integer.getType().getIntOrFloatBitWidth());
    element = builder.getIntegerAttr(signless, integer.getValue());
  }
  return arith::ConstantOp::create(builder, op.getLoc(),
                                   cast<TypedAttr>(element));
}

namespace {

/// Builds the element of one operation.
class ElementBuilder {
public:
  ElementBuilder(OpBuilder &builder, Operation *op, ArrayRef<Value> operands)
      : builder(builder), loc(op->getLoc()), op(op), operands(operands),
        m(builder, loc, operands[0].getType()) {}

  Value build();

private:
  Value buildUnary();
  Value buildBinary();
  Value buildPower(PowOp power);
  Value buildQuotient();
  Value buildComparison(CompareOp compare);
  Value buildBits(BitFunction function);
  Value buildShift(bool isRight);
  Value powerOf(Value base, int64_t exponent);

  bool areFloats() const { return isa<FloatType>(m.getType()); }

  OpBuilder &builder;
  Location loc;
  Operation *op;
  ArrayRef<Value> operands;
  Arithmetic m; ///< of the type of the first operand
};

Value ElementBuilder::buildUnary() {
  Value x = operands[0];
  // Codes have a scale of f32.
  bool isSingle = x.getType().isF32();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](NegOp) { return m.neg(x); })
      .Case([&](AbsOp) { return m.abs(x); })
      .Case([&](ExpOp) { return m.exp(x); })
      .Case([&](LogOp) { return m.log(x); })
      .Case([&](SqrtOp) { return m.sqrt(x); })
      .Case([&](SinOp) { return m.sin(x); })
      .Case([&](CosOp) { return m.cos(x); })
      .Case([&](TanhOp) { return m.tanh(x); })
      .Case([&](ErfOp) { return m.erf(x); })
      .Case([&](RsqrtOp) { return m.div(m.number(1.0), m.sqrt(x)); })
      .Case([&](SigmoidOp) {
        Value decay = m.exp(m.neg(x));
        return m.div(m.number(1.0), m.add(decay, m.number(1.0)));
      })
      .Case([&](ReluOp) {
        // Not a maximum: a NaN stays one.
        Value isNegative =
            m.compare(arith::CmpFPredicate::OLT, x, m.number(0.0));
        return m.select(isNegative, m.number(0.0), x);
      })
      .Case([&](NotOp) { return m.xorBits(x, m.number(1)); })
      .Case([&](IsNanOp) { return m.compare(arith::CmpFPredicate::UNO, x, x); })
      .Case([&](BitcastOp cast) {
        return m.of(cast.getType().getElementType()).fromBits(x);
      })
      .Case([&](CastOp cast) {
        return emitElementCast(
            builder, loc, x, elementTypeOf(cast.getOperand()),
            cast.getType().getElementType(), cast.getSaturate());
      })
      .Case([&](QuantizeOp quantize) {
        return isSingle ? emitQuantize(builder, loc, quantize.getCode(), x)
                        : Value();
      })
      .Case([&](DequantizeOp dequantize) {
        return dequantize.getType().getElementType().isF32()
                   ? emitDequantize(builder, loc, dequantize.getCode(), x)
                   : Value();
      })
      .Default(Value());
}

Value ElementBuilder::buildBinary() {
  Value lhs = operands[0];
  Value rhs = operands[1];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return m.add(lhs, rhs); })
      .Case([&](SubOp) { return m.sub(lhs, rhs); })
      .Case([&](MulOp) { return m.mul(lhs, rhs); })
      .Case([&](DivOp) { return buildQuotient(); })
      .Case([&](MaxOp) { return m.max(lhs, rhs); })
      .Case([&](MinOp) { return m.min(lhs, rhs); })
      .Case([&](PowOp power) { return buildPower(power); })
      .Case([&](AndOp) { return m.andBits(lhs, rhs); })
      .Case([&](OrOp) { return m.orBits(lhs, rhs); })
      .Case([&](BitwiseOp bits) { return buildBits(bits.getFunction()); })
      .Case([&](CompareOp compare) { return buildComparison(compare); })
      .Default(Value());
}

/// The processor traps where an integer quotient does not exist or does not
/// fit; lanes beyond the end of a row, which nobody looks at, must not, and the
/// smallest integer divided by -1 wraps.
Value ElementBuilder::buildQuotient() {
  Value dividend = operands[0];
  Value divisor = operands[1];
  if (areFloats()) {
    return m.div(dividend, divisor);
  }
  Value zero = m.number(0);
  Value isMinusOne = m.isEqual(divisor, m.number(-1));
  Value isZero = m.isEqual(divisor, m.number(0));
  Value safe = m.select(m.orBits(isMinusOne, isZero), m.number(1), divisor);
  Value quotient = m.div(dividend, safe);
  return m.select(isMinusOne, m.sub(zero, dividend), quotient);
}

Value ElementBuilder::buildBits(BitFunction function) {
  switch (function) {
  case BitFunction::And:
    return m.andBits(operands[0], operands[1]);
  case BitFunction::Or:
    return m.orBits(operands[0], operands[1]);
  case BitFunction::Xor:
    return m.xorBits(operands[0], operands[1]);
  case BitFunction::ShiftLeft:
  case BitFunction::ShiftRight:
    return buildShift(function == BitFunction::ShiftRight);
  }
  llvm_unreachable("a function of the dialect");
}

/// A processor's shift by as many bits as there are, or more, is undefined.
Value ElementBuilder::buildShift(bool isRight) {
  Value bits = operands[0], count = operands[1];
  int64_t bitWidth = getElementTypeOrSelf(bits).getIntOrFloatBitWidth();
  Value last = m.integer(bitWidth - 1), zero = m.integer(0);
  // A negative count is a large one without a sign.
  Value fits = m.compare(arith::CmpIPredicate::ule, count, last);
  Value safe = m.select(fits, count, isRight ? last : zero);
  return isRight ? m.shiftRight(bits, safe)
                 : m.select(fits, m.shiftLeft(bits, safe), zero);
}

Value ElementBuilder::buildComparison(CompareOp compare) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  struct Meaning {
    F floats;
    I integers, booleans;
  };
  auto meaning = [](ComparePredicate predicate) -> Meaning {
    switch (predicate) {
    case ComparePredicate::EQ:
      return {F::OEQ, I::eq, I::eq};
    case ComparePredicate::NE:
      return {F::UNE, I::ne, I::ne};
    case ComparePredicate::LT:
      return {F::OLT, I::slt, I::ult};
    case ComparePredicate::LE:
      return {F::OLE, I::sle, I::ule};
    case ComparePredicate::GT:
      return {F::OGT, I::sgt, I::ugt};
    case ComparePredicate::GE:
      return {F::OGE, I::sge, I::uge};
    }
    llvm_unreachable("a predicate of the dialect");
  }(compare.getPredicate());
  if (areFloats()) {
    return m.compare(meaning.floats, operands[0], operands[1]);
  }
  bool areBooleans = m.getType().isInteger(1);
  return m.compare(areBooleans ? meaning.booleans : meaning.integers,
                   operands[0], operands[1]);
}

/// The exponent, if it is one number known now.
std::optional<double> knownExponent(PowOp power) {
  Value root = getViewRoot(power.getRhs());
  DenseElementsAttr dense;
  if (!matchPattern(root, m_Constant(&dense)) || !dense.isSplat()) {
    return std::nullopt;
  }
  return dense.getSplatValue<APFloat>().convertToDouble();
}

Value ElementBuilder::powerOf(Value base, int64_t exponent) {
  Value result;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) {
      result = result ? m.mul(result, base) : base;
    }
    if (exponent > 1) {
      base = m.mul(base, base);
    }
  }
  return result;
}

Value ElementBuilder::buildPower(PowOp power) {
  constexpr double kMostProducts = 32.0;
  std::optional<double> exponent = knownExponent(power);
  if (!exponent || std::fabs(*exponent) > kMostProducts) {
    return m.pow(operands[0], operands[1]);
  }
  double magnitude = std::fabs(*exponent);
  Value result;
  if (magnitude == 0.0) {
    result = m.number(1.0);
  } else if (magnitude == std::floor(magnitude)) {
    result = powerOf(operands[0], static_cast<int64_t>(magnitude));
  } else {
    return m.pow(operands[0], operands[1]);
  }
  return *exponent < 0.0 ? m.div(m.number(1.0), result) : result;
}

Value ElementBuilder::build() {
  if (isa<SelectOp>(op)) {
    return m.select(operands[0], operands[1], operands[2]);
  }
  // Floats of 16 and 8 bits are integers here: there is no arithmetic on them.
  auto isSmall = [](Value tensor) {
    return SmallFloat::get(elementTypeOf(tensor)) != nullptr;
  };
  if (!isa<CastOp>(op) && (llvm::any_of(op->getOperands(), isSmall) ||
                           llvm::any_of(op->getResults(), isSmall))) {
    return {};
  }
  return operands.size() == 1   ? buildUnary()
         : operands.size() == 2 ? buildBinary()
                                : Value();
}

} // namespace

Value accel::emitElementOp(OpBuilder &builder, Operation *op,
                           ArrayRef<Value> operands) {
  return operands.empty() ? Value()
                          : ElementBuilder(builder, op, operands).build();
}
