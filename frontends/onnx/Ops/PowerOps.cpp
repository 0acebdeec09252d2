// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of Pow: of floats, and of integers with all of their bits.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Of a larger exponent no power but those of -1, 0 and 1 fits 64 bits, and
/// those of even numbers are 0 there.
constexpr int64_t kExponentBits = 7;

Value combine(const NodeConversion &c, BitFunction function, Value value,
              double operand) {
  Formula f(c, NodeConversion::typeOf(value));
  return BitwiseOp::create(c.builder, c.loc, value.getType(), function, value,
                           f.number(operand));
}

/// An exponent whose power is the same, in [0, 2^kExponentBits): of larger
/// ones, which only -1, 0 and 1 have, and of negative ones, which only -1 and 1
/// have, what is odd stays odd.
Value shorten(const NodeConversion &c, const Formula &f, Value exponent) {
  Value odd = combine(c, BitFunction::And, exponent, 1);
  Value isLarge = f.compare(ComparePredicate::GE, exponent,
                            f.number(int64_t(1) << kExponentBits));
  Value large = f.add(f.number((int64_t(1) << kExponentBits) - 2), odd);
  Value shortened = f.select(isLarge, large, exponent);
  return f.select(f.less(exponent, f.number(0)), odd, shortened);
}

/// By squares; what does not fit 64 bits is cut off. A power with a negative
/// exponent is a fraction, which becomes 0.
Value raiseInteger(const NodeConversion &c, Value base, Value exponent) {
  Formula f(c, NodeConversion::typeOf(base));
  Value rest = shorten(c, f, exponent), square = base, power = f.number(1);
  for (int64_t i = 0; i < kExponentBits; ++i) {
    Value isSet = f.equal(combine(c, BitFunction::And, rest, 1), f.number(1));
    power = f.select(isSet, f.mul(power, square), power);
    square = f.mul(square, square);
    rest = combine(c, BitFunction::ShiftRight, rest, 1);
  }
  Value isOne = f.equal(f.mul(base, base), f.number(1));
  Value isNegative = f.less(exponent, f.number(0));
  return f.select(isNegative, f.select(isOne, power, f.number(0)), power);
}

} // namespace

LogicalResult convertPow(NodeConversion &c) {
  // The result has the base's type.
  Type element = c.inputType(0).getElementType();
  bool isOfIntegers = c.isIndexTensor(c.inputType(0)) &&
                      c.isIndexTensor(c.inputType(1)) &&
                      !c.state.known.isKnown(c.input(1));
  // With a constant exponent f64 is exact for what exporters compute.
  Type computed = isa<FloatType>(element) ? element
                  : isOfIntegers          ? Type(c.builder.getI64Type())
                                          : Type(c.builder.getF64Type());
  FailureOr<SmallVector<Value>> operands = broadcastTogether(
      c, {c.cast(c.input(0), computed), c.cast(c.input(1), computed)});
  if (failed(operands)) {
    return failure();
  }
  Value base = (*operands)[0], exponent = (*operands)[1];
  Value power = isOfIntegers ? raiseInteger(c, base, exponent)
                             : PowOp::create(c.builder, c.loc, base.getType(),
                                             base, exponent)
                                   .getResult();
  c.setResult(0, c.cast(power, element));
  return success();
}

} // namespace accel::onnx
