// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of code, in `arith` and `math`: one vocabulary for scalars and
// vectors, floats and integers. Indices have their own (IndexArithmetic.h).
#ifndef ACCEL_PASSES_LOWER_ARITHMETIC_H
#define ACCEL_PASSES_LOWER_ARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

namespace accel {

/// `element`, or vector lanes of it if `type` is a vector.
mlir::Value emitSplat(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Type type, mlir::TypedAttr element);

/// Builds operations at the insertion point of a builder. Constants and the
/// results of conversions are of `type`, a scalar or a vector of floats or
/// integers; whatever else is of the type of its operands, which says, too,
/// whether a sum is one of floats or of integers.
///
/// No operation carries a fast-math flag: the expansions rely on every
/// rounding, and which products and sums become one operation is decided once,
/// by ExpandMath, for all targets.
///
/// Borrows: the builder.
class Arithmetic {
public:
  using Value = mlir::Value;

  Arithmetic(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type)
      : builder(builder), loc(loc), type(type) {}

  mlir::Type getType() const { return type; }
  /// `element`, or as many vector lanes of it as `type` has.
  mlir::Type like(mlir::Type element) const;
  /// The same arithmetic for another element type, of as many vector lanes.
  Arithmetic of(mlir::Type element) const {
    return {builder, loc, like(element)};
  }
  /// Integers as wide as the elements.
  mlir::Type integers() const;

  // Constants.
  /// Requires: an integer type holds `value`.
  Value number(double value) const;
  /// Of `integers()`.
  Value integer(int64_t value) const;

  // Floats and signed integers.
  Value add(Value a, Value b) const;
  Value sub(Value a, Value b) const;
  Value mul(Value a, Value b) const;
  /// Integers: the processor traps where no quotient exists or fits.
  Value div(Value a, Value b) const;
  /// NaN if one operand is.
  Value min(Value a, Value b) const;
  Value max(Value a, Value b) const;
  Value isEqual(Value a, Value b) const;

  // Floats.
  Value neg(Value a) const;
  Value abs(Value a) const;
  Value fma(Value a, Value b, Value c) const; ///< a * b + c
  Value floor(Value a) const;
  Value sqrt(Value a) const;
  Value exp(Value a) const;
  Value log(Value a) const;
  Value sin(Value a) const;
  Value cos(Value a) const;
  Value tanh(Value a) const;
  Value erf(Value a) const;
  Value pow(Value base, Value exponent) const;
  /// The larger; `b` if either is no number.
  Value larger(Value a, Value b) const;
  /// The smaller; `b` if either is no number.
  Value smaller(Value a, Value b) const;
  /// c[0] + c[1] x + ..., from the highest power down.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) const;
  /// Whether the sign bit is set.
  Value isNegative(Value a) const;

  // Integers.
  Value andBits(Value a, Value b) const;
  Value orBits(Value a, Value b) const;
  Value xorBits(Value a, Value b) const;
  Value shiftLeft(Value a, int64_t count) const;
  /// Requires: `count` is from 0 to the number of bits less one.
  Value shiftLeft(Value a, Value count) const;
  /// Repeats the sign bit.
  Value shiftRight(Value a, int64_t count) const;
  /// Requires: as above.
  Value shiftRight(Value a, Value count) const;
  /// Shifts zeros in.
  Value shiftRightLogical(Value a, int64_t count) const;
  Value isZero(Value a) const { return isEqual(a, integer(0)); }

  // Choices.
  Value compare(mlir::arith::CmpFPredicate how, Value a, Value b) const;
  Value compare(mlir::arith::CmpIPredicate how, Value a, Value b) const;
  Value select(Value condition, Value a, Value b) const;

  // Conversions.
  Value bits(Value a) const; ///< a float's, in `integers()`
  Value fromBits(Value a) const;
  Value fromSigned(Value a) const;   ///< a signed integer as a float
  Value fromUnsigned(Value a) const; ///< an unsigned integer as a float
  Value toSigned(Value a) const;     ///< towards zero, in `integers()`
  Value truncate(Value a) const;     ///< the low bits of an integer
  Value zeroExtend(Value a) const;   ///< an unsigned integer

private:
  template <typename FloatOp, typename IntegerOp>
  Value either(Value a, Value b) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
};

/// exp, log, tanh, erf, sin, cos and pow of f64, and sin, cos and pow of f32 by
/// way of f64.
void populateDoubleMathPatterns(mlir::RewritePatternSet &patterns);

} // namespace accel

#endif
