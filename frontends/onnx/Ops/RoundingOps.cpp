// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators whose result is a whole number: their gradient is
// zero, as a cast to integers has none.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/RandomDraws.h"
#include "frontends/onnx/Builders/Rounding.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include <limits>

using namespace mlir;

namespace accel::onnx {
namespace {

Value ceilOf(const NodeConversion &c, const Formula &f, Value x) {
  Value t = truncate(c, f, x);
  return f.add(t, unit(f, f.less(t, x)));
}
Value signOf(const NodeConversion &, const Formula &f, Value x) {
  Value zero = f.number(0);
  return f.sub(unit(f, f.greater(x, zero)), unit(f, f.less(x, zero)));
}

} // namespace

LogicalResult convertRounding(NodeConversion &c) {
  StringRef name = c.node.op_type();
  Formula f(c, c.inputType(0));
  Type element = c.inputType(0).getElementType();
  bool isNumber = !element.isInteger(1);
  if (!isNumber || (name != "Sign" && !isa<FloatType>(element))) {
    return c.error() << "expected " << (name == "Sign" ? "numbers" : "floats")
                     << ", got " << c.inputType(0);
  }
  if (Value kept = name == "Floor" ? findStochasticDepth(c) : Value()) {
    c.setResult(0, kept);
    return success();
  }
  c.setResult(0, name == "Floor"  ? floorOf(c, f, c.input(0))
                 : name == "Ceil" ? ceilOf(c, f, c.input(0))
                 : name == "Sign" ? signOf(c, f, c.input(0))
                                  : roundOf(c, f, c.input(0)));
  return success();
}

LogicalResult convertMod(NodeConversion &c) {
  if (c.inputType(0).getElementType().isInteger(1) ||
      c.inputType(0).getElementType() != c.inputType(1).getElementType()) {
    return c.error() << "expected two tensors of numbers of one type, got "
                     << c.inputType(0) << " and " << c.inputType(1);
  }
  FailureOr<SmallVector<Value>> operands =
      broadcastTogether(c, {c.input(0), c.input(1)});
  if (failed(operands)) {
    return failure();
  }
  Value lhs = (*operands)[0], rhs = (*operands)[1];
  Formula f(c, c.typeOf(lhs));
  // The quotient is truncated, so the rest has the dividend's sign.
  Value quotient = f.div(lhs, rhs);
  if (isa<FloatType>(c.typeOf(lhs).getElementType())) {
    quotient = truncate(c, f, quotient);
  }
  // 0 times an infinite divisor is no number.
  Value rest = f.select(f.equal(quotient, f.number(0)), lhs,
                        f.sub(lhs, f.mul(quotient, rhs)));
  if (c.getInt("fmod", 0) == 0) {
    // The divisor's: signs differ where the product is negative.
    Value other =
        f.less(f.mul(signOf(c, f, rest), signOf(c, f, rhs)), f.number(0));
    rest = f.select(other, f.add(rest, rhs), rest);
  }
  c.setResult(0, rest);
  return success();
}

LogicalResult convertIsInf(NodeConversion &c) {
  if (!isa<FloatType>(c.inputType(0).getElementType())) {
    return c.error() << "expected a float tensor, got " << c.inputType(0);
  }
  Formula f(c, c.inputType(0));
  const double infinity = std::numeric_limits<double>::infinity();
  Value none = c.makeConstant(c.inputType(0).clone(c.builder.getI1Type()), 0);
  Value above = c.getInt("detect_positive", 1)
                    ? f.equal(c.input(0), f.number(infinity))
                    : none;
  Value below = c.getInt("detect_negative", 1)
                    ? f.equal(c.input(0), f.number(-infinity))
                    : none;
  c.setResult(0, OrOp::create(c.builder, c.loc, above.getType(), above, below));
  return success();
}

} // namespace accel::onnx
