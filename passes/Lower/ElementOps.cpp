// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One element of every element-wise operation.
#include "passes/Lower/ElementOps.h"

#include "passes/Analysis/TensorAccess.h"
#include "passes/Lower/QuantizeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace accel;

static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

Value accel::emitSplat(OpBuilder &builder, Location loc, Type type,
                       TypedAttr element) {
  if (auto lanes = dyn_cast<VectorType>(type)) {
    element = SplatElementsAttr::get(lanes, Attribute(element));
  }
  return arith::ConstantOp::create(builder, loc, element);
}

Value accel::emitNumber(OpBuilder &builder, Location loc, Type type,
                        double value) {
  Type element = getElementTypeOrSelf(type);
  if (auto floatType = dyn_cast<FloatType>(element)) {
    return emitSplat(builder, loc, type,
                     builder.getFloatAttr(floatType, value));
  }
  return emitSplat(
      builder, loc, type,
      builder.getIntegerAttr(element, static_cast<int64_t>(value)));
}

Value accel::emitConstant(OpBuilder &builder, ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense || !dense.isSplat()) {
    return {};
  }
  auto element = dense.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(element)) {
    // Arithmetic knows no sign of types: a code is a byte.
    Type signless =
        builder.getIntegerType(integer.getType().getIntOrFloatBitWidth());
    element = builder.getIntegerAttr(signless, integer.getValue());
  }
  return arith::ConstantOp::create(builder, op.getLoc(),
                                   cast<TypedAttr>(element));
}

Value accel::emitSum(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  if (isFloat(lhs)) {
    return arith::AddFOp::create(builder, loc, lhs, rhs);
  }
  return arith::AddIOp::create(builder, loc, lhs, rhs);
}

Value accel::fromStorage(OpBuilder &builder, Location loc, Value stored,
                         Type element) {
  if (stored.getType() == element || element.isUnsignedInteger(8)) {
    return stored;
  }
  return emitCast(builder, loc, stored, element);
}

Value accel::toStorage(OpBuilder &builder, Location loc, Value element) {
  if (!element.getType().isInteger(1)) {
    return element;
  }
  return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), element);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Value castToBool(OpBuilder &builder, Location loc, Value value) {
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(value.getType()));
  if (isFloat(value)) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, value,
                                 zero);
  }
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                               zero);
}

static Value castFloat(OpBuilder &builder, Location loc, Value value,
                       Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType) {
    return arith::FPToSIOp::create(builder, loc, type, value);
  }
  if (floatType.getWidth() > cast<FloatType>(value.getType()).getWidth()) {
    return arith::ExtFOp::create(builder, loc, type, value);
  }
  return arith::TruncFOp::create(builder, loc, type, value);
}

static Value castInteger(OpBuilder &builder, Location loc, Value value,
                         Type type) {
  bool isBool = value.getType().isInteger(1);
  if (isa<FloatType>(type)) {
    return isBool ? Value(arith::UIToFPOp::create(builder, loc, type, value))
                  : Value(arith::SIToFPOp::create(builder, loc, type, value));
  }
  if (type.getIntOrFloatBitWidth() < value.getType().getIntOrFloatBitWidth()) {
    return arith::TruncIOp::create(builder, loc, type, value);
  }
  return isBool ? Value(arith::ExtUIOp::create(builder, loc, type, value))
                : Value(arith::ExtSIOp::create(builder, loc, type, value));
}

Value accel::emitCast(OpBuilder &builder, Location loc, Value value,
                      Type type) {
  if (value.getType() == type) {
    return value;
  }
  if (type.isInteger(1)) {
    return castToBool(builder, loc, value);
  }
  return isFloat(value) ? castFloat(builder, loc, value, type)
                        : castInteger(builder, loc, value, type);
}

Value accel::emitIndexAs(OpBuilder &builder, Location loc, Value index,
                         Type type) {
  Type integer =
      isa<FloatType>(type) || type.isInteger(1) ? builder.getI64Type() : type;
  return emitCast(builder, loc,
                  arith::IndexCastOp::create(builder, loc, integer, index),
                  type);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

/// Builds the element of one operation.
class ElementBuilder {
public:
  ElementBuilder(OpBuilder &builder, Operation *op, ArrayRef<Value> operands)
      : builder(builder), loc(op->getLoc()), op(op), operands(operands) {}

  Value build();

private:
  Value buildUnary();
  Value buildBinary();
  Value buildPower(PowOp power);
  Value buildIntegerQuotient();
  Value buildComparison(CompareOp compare);
  Value powerOf(Value base, int64_t exponent);

  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...);
  }
  template <typename FloatOp, typename IntegerOp> Value arithmetic() {
    return isFloat(operands[0]) ? create<FloatOp>(operands[0], operands[1])
                                : create<IntegerOp>(operands[0], operands[1]);
  }
  Value number(double value) {
    return emitNumber(builder, loc, operands[0].getType(), value);
  }

  /// Functions that only f32 has a polynomial for.
  template <typename OpTy> Value single() {
    return operands[0].getType().isF32() ? create<OpTy>(operands[0]) : Value();
  }

  OpBuilder &builder;
  Location loc;
  Operation *op;
  ArrayRef<Value> operands;
};

Value ElementBuilder::buildUnary() {
  Value x = operands[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](NegOp) { return create<arith::NegFOp>(x); })
      .Case([&](AbsOp) { return create<math::AbsFOp>(x); })
      .Case([&](ExpOp) { return create<math::ExpOp>(x); })
      .Case([&](LogOp) { return create<math::LogOp>(x); })
      .Case([&](SqrtOp) { return create<math::SqrtOp>(x); })
      .Case([&](SinOp) { return create<math::SinOp>(x); })
      .Case([&](CosOp) { return create<math::CosOp>(x); })
      .Case([&](TanhOp) { return single<math::TanhOp>(); })
      .Case([&](ErfOp) { return single<math::ErfOp>(); })
      .Case([&](RsqrtOp) {
        return create<arith::DivFOp>(number(1.0), create<math::SqrtOp>(x));
      })
      .Case([&](SigmoidOp) {
        Value decay = create<math::ExpOp>(create<arith::NegFOp>(x));
        return create<arith::DivFOp>(number(1.0),
                                     create<arith::AddFOp>(decay, number(1.0)));
      })
      .Case([&](ReluOp) {
        // Not a maximum: a NaN stays one.
        Value isNegative =
            create<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, number(0.0));
        return create<arith::SelectOp>(isNegative, number(0.0), x);
      })
      .Case([&](NotOp) { return create<arith::XOrIOp>(x, number(1)); })
      .Case([&](IsNanOp) {
        return create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
      })
      .Case([&](CastOp cast) {
        return emitCast(builder, loc, x, cast.getType().getElementType());
      })
      .Case([&](QuantizeOp quantize) {
        return x.getType().isF32()
                   ? emitQuantize(builder, loc, quantize.getCode(), x)
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
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return arithmetic<arith::AddFOp, arith::AddIOp>(); })
      .Case([&](SubOp) { return arithmetic<arith::SubFOp, arith::SubIOp>(); })
      .Case([&](MulOp) { return arithmetic<arith::MulFOp, arith::MulIOp>(); })
      .Case([&](MaxOp) {
        return arithmetic<arith::MaximumFOp, arith::MaxSIOp>();
      })
      .Case([&](MinOp) {
        return arithmetic<arith::MinimumFOp, arith::MinSIOp>();
      })
      .Case([&](DivOp) {
        return isFloat(operands[0])
                   ? create<arith::DivFOp>(operands[0], operands[1])
                   : buildIntegerQuotient();
      })
      .Case([&](PowOp power) { return buildPower(power); })
      .Case([&](AndOp) {
        return create<arith::AndIOp>(operands[0], operands[1]);
      })
      .Case(
          [&](OrOp) { return create<arith::OrIOp>(operands[0], operands[1]); })
      .Case([&](CompareOp compare) { return buildComparison(compare); })
      .Default(Value());
}

/// The processor traps where a quotient does not exist or does not fit; lanes
/// beyond the end of a row, which nobody looks at, must not, and the smallest
/// integer divided by -1 wraps.
Value ElementBuilder::buildIntegerQuotient() {
  Value dividend = operands[0];
  Value divisor = operands[1];
  Value zero = number(0);
  auto equals = [&](double value) {
    return create<arith::CmpIOp>(arith::CmpIPredicate::eq, divisor,
                                 number(value));
  };
  Value isMinusOne = equals(-1);
  Value safe = create<arith::SelectOp>(
      create<arith::OrIOp>(isMinusOne, equals(0)), number(1), divisor);
  Value quotient = create<arith::DivSIOp>(dividend, safe);
  return create<arith::SelectOp>(
      isMinusOne, create<arith::SubIOp>(zero, dividend), quotient);
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
  if (isFloat(operands[0])) {
    return create<arith::CmpFOp>(meaning.floats, operands[0], operands[1]);
  }
  bool areBooleans = operands[0].getType().isInteger(1);
  return create<arith::CmpIOp>(areBooleans ? meaning.booleans
                                           : meaning.integers,
                               operands[0], operands[1]);
}

/// The exponent, if it is one number known now.
std::optional<double> knownExponent(PowOp power) {
  Value root = getViewRoot(power.getRhs(), [](Value) { return false; });
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
      result = result ? create<arith::MulFOp>(result, base) : base;
    }
    if (exponent > 1) {
      base = create<arith::MulFOp>(base, base);
    }
  }
  return result;
}

Value ElementBuilder::buildPower(PowOp power) {
  constexpr double kMostProducts = 32.0;
  std::optional<double> exponent = knownExponent(power);
  if (!exponent || std::fabs(*exponent) > kMostProducts) {
    return create<math::PowFOp>(operands[0], operands[1]);
  }
  double magnitude = std::fabs(*exponent);
  Value result;
  if (magnitude == 0.0) {
    result = number(1.0);
  } else if (magnitude == std::floor(magnitude)) {
    result = powerOf(operands[0], static_cast<int64_t>(magnitude));
  } else {
    return create<math::PowFOp>(operands[0], operands[1]);
  }
  return *exponent < 0.0 ? create<arith::DivFOp>(number(1.0), result) : result;
}

Value ElementBuilder::build() {
  // Half precision has no kernels.
  auto isNarrow = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  };
  if (llvm::any_of(operands, [&](Value v) { return isNarrow(v.getType()); }) ||
      isNarrow(cast<RankedTensorType>(op->getResult(0).getType())
                   .getElementType())) {
    return {};
  }
  if (isa<SelectOp>(op)) {
    return create<arith::SelectOp>(operands[0], operands[1], operands[2]);
  }
  return operands.size() == 1   ? buildUnary()
         : operands.size() == 2 ? buildBinary()
                                : Value();
}

} // namespace

Value accel::emitElementOp(OpBuilder &builder, Operation *op,
                           ArrayRef<Value> operands) {
  return ElementBuilder(builder, op, operands).build();
}
