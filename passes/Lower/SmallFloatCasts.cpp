// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A float is read as an integer. Dropping mantissa bits with half a unit added
// before rounds a normal number, and a carry out of the mantissa raises the
// exponent as it should; a constant moves the exponent from one bias to the
// other.
//
// Subnormal numbers have one unit, 2^(1 - bias - mantissa bits), whatever their
// size. The float that is 2^23 units large counts by just that unit: added to a
// magnitude it rounds it to even, and the sum's bits, less its own, are the
// code. Backwards, a magnitude with the exponent of the smallest normal number
// is that number too large, and the difference is exact. Neither reads nor
// makes a subnormal number of f32, so it does not matter what a processor does
// with those.
#include "passes/Lower/SmallFloatCasts.h"

#include "passes/Lower/Arithmetic.h"

#include <cmath>

using namespace mlir;
using namespace accel;

namespace {

using Compares = arith::CmpIPredicate;
using Orders = arith::CmpFPredicate;

constexpr int kSingleMantissaBits = 23;
constexpr int kSingleBias = 127;
constexpr int32_t kSingleMagnitude = 0x7FFFFFFF;
constexpr int32_t kSingleInfinity = 0x7F800000;
constexpr int32_t kSingleNan = 0x7FC00000;
/// 2^-127, the smallest scale: a subnormal number of f32.
constexpr int32_t kSmallestScale = 0x00400000;

/// `element`, or as many vector lanes of it as `value` has.
Type typeLike(Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? Type(vector.clone(element)) : element;
}

/// Writes the casts of one format, in integers as wide as f32.
class SmallFloatCast {
public:
  /// Of scalars or vectors, as `value` is.
  SmallFloatCast(OpBuilder &builder, Location loc, const SmallFloat &format,
                 Value value)
      : format(format), m(builder, loc, typeLike(value, builder.getF32Type())),
        i(m.of(builder.getI32Type())),
        shift(kSingleMantissaBits - format.mantissaBits) {}

  Value widen(Value bits) const;
  Value narrow(Value value, bool saturates) const;

private:
  /// Between the exponent of a number here and in f32.
  int biasStep() const { return kSingleBias - format.getBias(); }
  int32_t magnitudeMask() const { return (1 << (format.getWidth() - 1)) - 1; }
  bool hasExponentOfSingle() const { return biasStep() == 0; }

  Value widenScale(Value scale) const;
  Value widenMagnitude(Value magnitude) const;
  Value narrowScale(Value bits) const;
  Value narrowToUpperBits(Value value, bool saturates) const;
  Value addHalf(Value bits) const;
  Value roundNormal(Value magnitude) const;
  Value roundSubnormal(Value magnitude) const;
  Value narrowNan(Value magnitude) const;

  const SmallFloat &format;
  Arithmetic m; ///< f32
  Arithmetic i; ///< i32
  int shift;    ///< of a mantissa of f32 to one of the format
};

//===----------------------------------------------------------------------===//
// To f32
//===----------------------------------------------------------------------===//

Value SmallFloatCast::widenScale(Value scale) const {
  Value bits = i.shiftLeft(scale, kSingleMantissaBits);
  Value isSmallest = i.isZero(scale);
  Value isNan =
      i.compare(Compares::eq, scale, i.integer(format.getLargest() + 1));
  bits = i.select(isSmallest, i.integer(kSmallestScale), bits);
  return i.select(isNan, i.integer(kSingleNan), bits);
}

Value SmallFloatCast::widenMagnitude(Value magnitude) const {
  Value moved = i.shiftLeft(magnitude, shift);
  Value normal = i.add(moved, i.integer(biasStep() << kSingleMantissaBits));
  // With the exponent of the smallest normal number in front of it.
  Value tooLarge =
      i.add(moved, i.integer((biasStep() + 1) << kSingleMantissaBits));
  Value smallest = m.number(std::ldexp(1.0, 1 - format.getBias()));
  Value subnormal = m.bits(m.sub(m.fromBits(tooLarge), smallest));
  Value isSubnormal =
      i.compare(Compares::slt, magnitude, i.integer(1 << format.mantissaBits));
  Value bits = i.select(isSubnormal, subnormal, normal);
  int32_t lastNumber = format.getLargest();
  Value isNumber = i.compare(Compares::sle, magnitude, i.integer(lastNumber));
  // An infinity or a NaN, whose mantissa is in its place.
  Value special = i.orBits(normal, i.integer(kSingleInfinity));
  return i.select(isNumber, bits, special);
}

Value SmallFloatCast::widen(Value bits) const {
  Value wide = i.zeroExtend(bits);
  if (format.isScale) {
    return m.fromBits(widenScale(wide));
  }
  if (hasExponentOfSingle()) {
    return m.fromBits(i.shiftLeft(wide, shift));
  }
  Value magnitude = i.andBits(wide, i.integer(magnitudeMask()));
  Value sign = i.andBits(wide, i.integer(magnitudeMask() + 1));
  sign = i.shiftLeft(sign, 32 - format.getWidth());
  return m.fromBits(i.orBits(widenMagnitude(magnitude), sign));
}

//===----------------------------------------------------------------------===//
// From f32
//===----------------------------------------------------------------------===//

/// The exponent, one larger where there is a mantissa.
Value SmallFloatCast::narrowScale(Value bits) const {
  Value up = i.add(bits, i.integer((1 << kSingleMantissaBits) - 1));
  Value scale = i.shiftRightLogical(up, kSingleMantissaBits);
  scale = i.min(scale, i.integer(format.getLargest()));
  // Negative numbers are negative integers.
  Value isSmallest = i.compare(Compares::sle, bits, i.integer(kSmallestScale));
  scale = i.select(isSmallest, i.integer(0), scale);
  Value magnitude = i.andBits(bits, i.integer(kSingleMagnitude));
  Value isNan = i.compare(Compares::sgt, magnitude, i.integer(kSingleInfinity));
  return i.select(isNan, i.integer(format.getLargest() + 1), scale);
}

/// Half a unit less one, and one more where the last bit that stays is set: a
/// tie goes up only if that makes it even.
Value SmallFloatCast::addHalf(Value bits) const {
  Value last = i.andBits(i.shiftRightLogical(bits, shift), i.integer(1));
  return i.add(i.add(bits, last), i.integer((1 << (shift - 1)) - 1));
}

/// Into a format that is the upper bits of f32. A carry out of a number stops
/// at infinity, below the sign; a NaN stays one when a bit of it is set. All in
/// integers but the question whether it is one, since a processor may flush
/// subnormal numbers.
Value SmallFloatCast::narrowToUpperBits(Value value, bool saturates) const {
  Value bits = m.bits(value);
  Value number = bits;
  if (saturates) {
    Value magnitude = i.andBits(bits, i.integer(kSingleMagnitude));
    number = i.orBits(i.min(magnitude, i.integer(format.getLargest() << shift)),
                      i.andBits(bits, i.integer(~kSingleMagnitude)));
  }
  Value quiet =
      i.orBits(bits, i.integer(int64_t{1} << (kSingleMantissaBits - 1)));
  Value isNan = m.compare(Orders::UNO, value, value);
  return i.shiftRightLogical(i.select(isNan, quiet, addHalf(number)), shift);
}

Value SmallFloatCast::roundNormal(Value magnitude) const {
  Value rounded = i.shiftRightLogical(addHalf(magnitude), shift);
  return i.sub(rounded, i.integer(biasStep() << format.mantissaBits));
}

Value SmallFloatCast::roundSubnormal(Value magnitude) const {
  int unit = 1 - format.getBias() - format.mantissaBits;
  Value counter = m.number(std::ldexp(1.0, unit + kSingleMantissaBits));
  Value sum = m.add(m.fromBits(magnitude), counter);
  return i.sub(m.bits(sum), m.bits(counter));
}

Value SmallFloatCast::narrowNan(Value magnitude) const {
  int32_t quiet = 1 << (format.mantissaBits - 1);
  if (!format.hasInfinity) {
    return i.integer(format.getLargest() + 1);
  }
  Value mantissa = i.andBits(i.shiftRightLogical(magnitude, shift),
                             i.integer((1 << format.mantissaBits) - 1));
  return i.orBits(mantissa, i.integer(format.getInfinity() | quiet));
}

Value SmallFloatCast::narrow(Value value, bool saturates) const {
  Value bits = m.bits(value);
  if (format.isScale) {
    return narrowScale(bits);
  }
  if (hasExponentOfSingle()) {
    return narrowToUpperBits(value, saturates);
  }
  Value magnitude = i.andBits(bits, i.integer(kSingleMagnitude));
  Value code = roundNormal(magnitude);
  code = i.min(
      code, i.integer(saturates ? format.getLargest() : format.getInfinity()));
  int32_t smallest = (biasStep() + 1) << kSingleMantissaBits;
  Value isSubnormal = i.compare(Compares::slt, magnitude, i.integer(smallest));
  code = i.select(isSubnormal, roundSubnormal(magnitude), code);
  Value isNan = i.compare(Compares::sgt, magnitude, i.integer(kSingleInfinity));
  code = i.select(isNan, narrowNan(magnitude), code);
  Value sign = i.shiftRightLogical(bits, 32 - format.getWidth());
  sign = i.andBits(sign, i.integer(magnitudeMask() + 1));
  return i.orBits(code, sign);
}

} // namespace

Value accel::emitWidened(OpBuilder &builder, Location loc,
                         const SmallFloat &format, Value bits) {
  return SmallFloatCast(builder, loc, format, bits).widen(bits);
}

Value accel::emitNarrowed(OpBuilder &builder, Location loc,
                          const SmallFloat &format, Value value,
                          bool saturates) {
  SmallFloatCast cast(builder, loc, format, value);
  Type width = typeLike(value, builder.getIntegerType(format.getWidth()));
  return Arithmetic(builder, loc, width)
      .truncate(cast.narrow(value, saturates));
}
