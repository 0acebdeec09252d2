// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of a dynamic code, counted from 0 upwards, lie on seven lines,
// one per decade: with n the index of a decade's first number, which is also
// how many it has, and w the width of its cells, number i is w (i + 1/2 -
// 8n/9). Each line is five times as steep as the one before and crosses it
// between the last number of a decade and the first of the next one. So the
// largest of all seven is the number, and going back, the smallest of their
// inverses is the index: both are seven products and sums, whatever the decade.
//
// The nearest number is not that of the cell in one place: the first fifth of a
// decade's first cell is nearer to the last number of the decade before. There
// the index is a power of two and a fraction below 0.2, and is lowered by 1.
// The line of decade 0 is one for which that holds, too.
#include "passes/Lower/QuantizeOps.h"

#include "passes/Lower/Arithmetic.h"

#include <cmath>

using namespace mlir;
using namespace accel;

namespace {

using P = arith::CmpFPredicate;

constexpr int kDecades = 7;

/// The indices of a code's magnitudes.
struct Indices {
  int zero;  ///< of 0; the next one is the first of decade 0
  int first; ///< the same, and how many numbers decade 0 has
  int one;   ///< of 1, behind all decades

  explicit Indices(ByteCode code)
      : zero(code == ByteCode::DynamicSigned ? 0 : 1), first(zero + 1),
        one(first << kDecades) {}

  double firstOf(int decade) const { return first << decade; }
};

/// Where a decade ends.
double endOf(int decade) { return std::pow(10.0, decade - (kDecades - 1)); }

/// The width of a decade's cells.
double cellOf(const Indices &indices, int decade) {
  return 0.9 * endOf(decade) / indices.firstOf(decade);
}

/// Where a decade begins to be the nearest, in cells of its own.
constexpr double kBorder = 0.2;

/// slope * x + offset
struct Line {
  double slope, offset;
};

/// The index in terms of the number.
Line getIndexLine(const Indices &indices, int decade) {
  double first = indices.firstOf(decade);
  if (decade > 0) {
    return {1.0 / cellOf(indices, decade), first * 8.0 / 9.0};
  }
  // Through the middle between 0 and the first number, and the end of its cell.
  double cell = cellOf(indices, decade);
  double start = endOf(decade) * 0.1;
  double border = (start + cell / 2.0) / 2.0;
  double slope = (1.0 - kBorder) / (start + cell - border);
  return {slope, first + kBorder - slope * border};
}

/// The index of the nearest magnitude as a whole number in f32, from that of 0
/// on. `value` has its sign: 1 has no negative.
Value emitIndex(const Arithmetic &m, const Indices &indices, Value value) {
  // Without a sign what is below 0 is below the smallest index, too.
  Value magnitude = indices.zero == 0 ? m.abs(value) : value;
  Value index;
  for (int decade = 0; decade < kDecades; ++decade) {
    Line line = getIndexLine(indices, decade);
    Value on = m.fma(magnitude, m.number(line.slope), m.number(line.offset));
    index = index ? m.smaller(on, index) : on;
  }
  index = m.smaller(m.number(indices.one - 0.5), index);
  // Its exponent alone: the power of two that is not larger.
  Value power = m.fromBits(m.andBits(m.bits(index), m.integer(0x7F800000)));
  Value isBefore = m.compare(P::OLT, m.sub(index, power), m.number(kBorder));
  index = m.select(isBefore, m.sub(index, m.number(1.0)), index);
  double last = 1.0 - 0.45 / indices.firstOf(kDecades - 1);
  Value isOne = m.compare(P::OGE, value, m.number((last + 1.0) / 2.0));
  index = m.select(isOne, m.number(indices.one), index);
  // A NaN is still one, and becomes 0 here.
  return m.larger(index, m.number(indices.zero));
}

} // namespace

Value accel::emitQuantize(OpBuilder &builder, Location loc, ByteCode code,
                          Value value) {
  Arithmetic m(builder, loc, value.getType());
  Indices indices(code);
  Value index = m.toSigned(emitIndex(m, indices, value));
  Value byte;
  if (code == ByteCode::DynamicSigned) {
    Value isNegative = m.compare(P::OLT, value, m.number(0.0));
    Value negated = m.sub(m.integer(0), index);
    byte = m.select(isNegative, negated, index);
  } else {
    byte = m.sub(index, m.integer(indices.zero));
  }
  return m.of(builder.getI8Type()).truncate(byte);
}

Value accel::emitDequantize(OpBuilder &builder, Location loc, ByteCode code,
                            Value value) {
  Arithmetic m(builder, loc, builder.getF32Type());
  Indices indices(code);
  Value byte = m.of(m.integers()).zeroExtend(value);
  bool isSigned = code == ByteCode::DynamicSigned;
  // A byte of a negative number is 256 less its index; both are 128 for 1.
  Value index = isSigned ? m.min(byte, m.sub(m.integer(256), byte))
                         : m.add(byte, m.integer(indices.zero));
  Value number = m.fromSigned(index);
  Value magnitude = m.number(0.0);
  for (int decade = 0; decade < kDecades; ++decade) {
    double cell = cellOf(indices, decade);
    double offset = cell * (0.5 - indices.firstOf(decade) * 8.0 / 9.0);
    magnitude =
        m.larger(m.fma(number, m.number(cell), m.number(offset)), magnitude);
  }
  magnitude = m.smaller(magnitude, m.number(1.0));
  if (!isSigned) {
    return magnitude;
  }
  Value isNegative =
      m.compare(arith::CmpIPredicate::sgt, byte, m.integer(indices.one));
  return m.select(isNegative, m.neg(magnitude), magnitude);
}
