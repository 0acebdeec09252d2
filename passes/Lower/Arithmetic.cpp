// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operation for every method.
#include "passes/Lower/Arithmetic.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace accel;

using FloatPredicate = arith::CmpFPredicate;
using IntegerPredicate = arith::CmpIPredicate;

Value accel::emitSplat(OpBuilder &builder, Location loc, Type type,
                       TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    element = SplatElementsAttr::get(vector, Attribute(element));
  }
  return arith::ConstantOp::create(builder, loc, element);
}

Type Arithmetic::like(Type element) const {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

Type Arithmetic::integers() const {
  return like(builder.getIntegerType(
      getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Arithmetic::number(double value) const {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element)) {
    auto whole = static_cast<int64_t>(value);
    return emitSplat(builder, loc, type,
                     builder.getIntegerAttr(element, whole));
  }
  return emitSplat(builder, loc, type, builder.getFloatAttr(element, value));
}

Value Arithmetic::integer(int64_t value) const {
  Type wide = integers();
  return emitSplat(builder, loc, wide,
                   builder.getIntegerAttr(getElementTypeOrSelf(wide), value));
}

//===----------------------------------------------------------------------===//
// Floats and signed integers
//===----------------------------------------------------------------------===//

template <typename FloatOp, typename IntegerOp>
Value Arithmetic::either(Value a, Value b) const {
  if (isa<FloatType>(getElementTypeOrSelf(a.getType()))) {
    return FloatOp::create(builder, loc, a, b);
  }
  return IntegerOp::create(builder, loc, a, b);
}

Value Arithmetic::add(Value a, Value b) const {
  return either<arith::AddFOp, arith::AddIOp>(a, b);
}

Value Arithmetic::sub(Value a, Value b) const {
  return either<arith::SubFOp, arith::SubIOp>(a, b);
}

Value Arithmetic::mul(Value a, Value b) const {
  return either<arith::MulFOp, arith::MulIOp>(a, b);
}

Value Arithmetic::div(Value a, Value b) const {
  return either<arith::DivFOp, arith::DivSIOp>(a, b);
}

Value Arithmetic::min(Value a, Value b) const {
  return either<arith::MinimumFOp, arith::MinSIOp>(a, b);
}

Value Arithmetic::max(Value a, Value b) const {
  return either<arith::MaximumFOp, arith::MaxSIOp>(a, b);
}

Value Arithmetic::isEqual(Value a, Value b) const {
  return isa<FloatType>(getElementTypeOrSelf(a.getType()))
             ? compare(FloatPredicate::OEQ, a, b)
             : compare(IntegerPredicate::eq, a, b);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Value Arithmetic::neg(Value a) const {
  return arith::NegFOp::create(builder, loc, a);
}

Value Arithmetic::abs(Value a) const {
  return math::AbsFOp::create(builder, loc, a);
}

Value Arithmetic::fma(Value a, Value b, Value c) const {
  return math::FmaOp::create(builder, loc, a, b, c);
}

Value Arithmetic::floor(Value a) const {
  return math::FloorOp::create(builder, loc, a);
}

Value Arithmetic::sqrt(Value a) const {
  return math::SqrtOp::create(builder, loc, a);
}

Value Arithmetic::exp(Value a) const {
  return math::ExpOp::create(builder, loc, a);
}

Value Arithmetic::log(Value a) const {
  return math::LogOp::create(builder, loc, a);
}

Value Arithmetic::sin(Value a) const {
  return math::SinOp::create(builder, loc, a);
}

Value Arithmetic::cos(Value a) const {
  return math::CosOp::create(builder, loc, a);
}

Value Arithmetic::tanh(Value a) const {
  return math::TanhOp::create(builder, loc, a);
}

Value Arithmetic::erf(Value a) const {
  return math::ErfOp::create(builder, loc, a);
}

Value Arithmetic::pow(Value base, Value exponent) const {
  return math::PowFOp::create(builder, loc, base, exponent);
}

Value Arithmetic::larger(Value a, Value b) const {
  return select(compare(FloatPredicate::OGT, a, b), a, b);
}

Value Arithmetic::smaller(Value a, Value b) const {
  return select(compare(FloatPredicate::OLT, a, b), a, b);
}

Value Arithmetic::polynomial(Value x, ArrayRef<double> coefficients) const {
  Value result = number(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back())) {
    result = fma(result, x, number(c));
  }
  return result;
}

Value Arithmetic::isNegative(Value a) const {
  Value number = bits(a);
  return compare(IntegerPredicate::slt, number, integer(0));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value Arithmetic::andBits(Value a, Value b) const {
  return arith::AndIOp::create(builder, loc, a, b);
}

Value Arithmetic::orBits(Value a, Value b) const {
  return arith::OrIOp::create(builder, loc, a, b);
}

Value Arithmetic::xorBits(Value a, Value b) const {
  return arith::XOrIOp::create(builder, loc, a, b);
}

Value Arithmetic::shiftLeft(Value a, int64_t count) const {
  return shiftLeft(a, integer(count));
}

Value Arithmetic::shiftLeft(Value a, Value count) const {
  return arith::ShLIOp::create(builder, loc, a, count);
}

Value Arithmetic::shiftRight(Value a, int64_t count) const {
  return shiftRight(a, integer(count));
}

Value Arithmetic::shiftRight(Value a, Value count) const {
  return arith::ShRSIOp::create(builder, loc, a, count);
}

Value Arithmetic::shiftRightLogical(Value a, int64_t count) const {
  return arith::ShRUIOp::create(builder, loc, a, integer(count));
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

Value Arithmetic::compare(FloatPredicate how, Value a, Value b) const {
  return arith::CmpFOp::create(builder, loc, how, a, b);
}

Value Arithmetic::compare(IntegerPredicate how, Value a, Value b) const {
  return arith::CmpIOp::create(builder, loc, how, a, b);
}

Value Arithmetic::select(Value condition, Value a, Value b) const {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value Arithmetic::bits(Value a) const {
  return arith::BitcastOp::create(builder, loc, integers(), a);
}

Value Arithmetic::fromBits(Value a) const {
  return arith::BitcastOp::create(builder, loc, type, a);
}

Value Arithmetic::fromSigned(Value a) const {
  return arith::SIToFPOp::create(builder, loc, type, a);
}

Value Arithmetic::fromUnsigned(Value a) const {
  return arith::UIToFPOp::create(builder, loc, type, a);
}

Value Arithmetic::toSigned(Value a) const {
  return arith::FPToSIOp::create(builder, loc, integers(), a);
}

Value Arithmetic::truncate(Value a) const {
  return arith::TruncIOp::create(builder, loc, type, a);
}

Value Arithmetic::zeroExtend(Value a) const {
  return arith::ExtUIOp::create(builder, loc, type, a);
}
