// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions in double: what schedules, initial values, the rare sin, cos and
// pow of a model, and models of doubles are computed with. Errors are a few
// units in the last place; speed hardly matters here.
#include "passes/Lower/Arithmetic.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace accel;

using P = arith::CmpFPredicate;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Adding this number rounds to an integer and leaves it in the low bits.
static constexpr double kRound = 0x1.8p52;

// x = n ln 2 + r with r in half a ln 2 around zero; 2^n goes straight into the
// exponent.
static Value emitExp(const Arithmetic &m, Value x) {
  Value t = m.fma(x, m.number(std::numbers::log2e), m.number(kRound));
  Value n = m.sub(t, m.number(kRound));
  Value r = m.fma(n, m.number(-0x1.62e42fefa39efp-1), x);
  r = m.fma(n, m.number(-0x1.abc9e3b39803fp-56), r);
  SmallVector<double> coefficients{1.0};
  for (int k = 1; k <= 13; ++k) {
    coefficients.push_back(coefficients.back() / k);
  }
  Value p = m.polynomial(r, coefficients);
  Value y = m.fromBits(m.add(m.bits(p), m.shiftLeft(m.bits(t), 52)));
  y = m.select(m.compare(P::OLT, x, m.number(-708.0)), m.number(0.0), y);
  // Where x is no number, y is what its bits make, on some processors a number.
  return m.select(m.compare(P::UGT, x, m.number(709.78271289338397)),
                  m.mul(x, m.number(kInfinity)), y);
}

// x = 2^e c with c around 1; ln c = 2 artanh(s) with s = (c - 1) / (c + 1), by
// its series.
static Value emitLog(const Arithmetic &m, Value x) {
  constexpr int64_t kSqrtHalf = 0x3FE6A09E667F3BCD;
  Value isTiny =
      m.compare(P::OLT, x, m.number(std::numeric_limits<double>::min()));
  Value bits = m.bits(m.select(isTiny, m.mul(x, m.number(0x1p54)), x));
  Value exponent = m.shiftRight(m.sub(bits, m.integer(kSqrtHalf)), 52);
  Value f =
      m.sub(m.fromBits(m.sub(bits, m.shiftLeft(exponent, 52))), m.number(1.0));
  Value e = m.fromSigned(exponent);
  e = m.select(isTiny, m.sub(e, m.number(54.0)), e);
  Value s = m.div(f, m.add(f, m.number(2.0)));
  Value z = m.mul(s, s);
  SmallVector<double> coefficients;
  for (int k = 1; k <= 11; ++k) {
    coefficients.push_back(2.0 / (2 * k + 1));
  }
  Value tail = m.mul(m.mul(s, z), m.polynomial(z, coefficients));
  Value low =
      m.fma(e, m.number(0x1.abc9e3b39803fp-56), m.fma(s, m.number(2.0), tail));
  Value y = m.fma(e, m.number(0x1.62e42fefa39efp-1), low);
  y = m.select(m.compare(P::OEQ, x, m.number(0.0)), m.number(-kInfinity), y);
  y = m.select(m.compare(P::OLT, x, m.number(0.0)), m.number(kNan), y);
  // Infinity and NaN are their own logarithms.
  return m.select(m.compare(P::ULT, x, m.number(kInfinity)),
                  m.select(m.compare(P::UNO, x, x), x, y), x);
}

// x = n pi/2 + r; n tells which of sin r and cos r it is, and with which sign.
// Good to the last places up to 1e9.
static Value emitSine(const Arithmetic &m, Value x, int64_t quadrant) {
  Value t = m.fma(x, m.number(2.0 / std::numbers::pi), m.number(kRound));
  Value n = m.sub(t, m.number(kRound));
  Value r = m.fma(n, m.number(-1.5707963267948966), x);
  r = m.fma(n, m.number(-6.123233995736766e-17), r);
  r = m.fma(n, m.number(1.4973849048591833e-33), r);
  SmallVector<double> sine, cosine;
  double factorial = 1.0;
  for (int k = 0; k <= 17; ++k) {
    factorial *= k == 0 ? 1.0 : k;
    double coefficient = (k / 2 % 2 == 0 ? 1.0 : -1.0) / factorial;
    (k % 2 == 0 ? cosine : sine).push_back(coefficient);
  }
  Value z = m.mul(r, r);
  // The first term apart: r is exact, so that small angles keep their relative
  // precision.
  Value odd =
      m.fma(m.mul(r, z), m.polynomial(z, ArrayRef(sine).drop_front()), r);
  Value even = m.polynomial(z, cosine);
  Value q = m.add(m.bits(t), m.integer(quadrant));
  Value y = m.select(m.isZero(m.andBits(q, m.integer(1))), odd, even);
  return m.select(m.isZero(m.andBits(q, m.integer(2))), y, m.neg(y));
}

// exp(y ln |x|), with the sign of x for odd y.
static Value emitPower(const Arithmetic &m, Value x, Value y) {
  Value one = m.number(1.0);
  Value magnitude = emitExp(m, m.mul(y, emitLog(m, m.abs(x))));
  Value isWhole = m.compare(P::OEQ, m.floor(y), y);
  Value half = m.mul(y, m.number(0.5));
  Value isOdd = m.compare(P::UNE, m.floor(half), half);
  Value negative = m.select(
      isWhole, m.select(isOdd, m.neg(magnitude), magnitude), m.number(kNan));
  Value result =
      m.select(m.compare(P::OLT, x, m.number(0.0)), negative, magnitude);
  result = m.select(m.compare(P::OEQ, x, one), one, result);
  return m.select(m.compare(P::OEQ, y, m.number(0.0)), one, result);
}

/// `magnitude` with the sign of `x`.
static Value withSignOf(const Arithmetic &m, Value x, Value magnitude) {
  return m.select(m.isNegative(x), m.neg(magnitude), magnitude);
}

// Where |x| is below ln(3) / 2, x + x^3 P(x^2) / Q(x^2) (Cody and Waite, 1980);
// elsewhere 1 - 2 / (exp(2 |x|) + 1), which cancels no digit there.
static Value emitTanh(const Arithmetic &m, Value x) {
  Value one = m.number(1.0), size = m.abs(x), z = m.mul(x, x);
  Value p =
      m.polynomial(z, {-0.16134119023996228053e4, -0.99225929672236083313e2,
                       -0.96437492777225469787});
  Value q = m.polynomial(z, {0.48402357071988688686e4, 0.22337720718962312926e4,
                             0.11274474380534949335e3, 1.0});
  Value near = m.fma(m.mul(size, z), m.div(p, q), size);
  Value growth = emitExp(m, m.add(size, size));
  Value far = m.sub(one, m.div(m.number(2.0), m.add(growth, one)));
  // NaN is not below anything, and its exponential is NaN.
  Value isNear = m.compare(P::OLT, size, m.number(0.54930614433405485));
  return withSignOf(m, x, m.select(isNear, near, far));
}

// W. J. Cody's quotients (Math. Comp. 23, 1969): x P(x^2) / Q(x^2) near zero,
// 1 - exp(-x^2) C(|x|) / D(|x|) elsewhere. Beyond 6, erf is 1 or -1.
static Value emitErf(const Arithmetic &m, Value x) {
  Value z = m.mul(x, x);
  Value p = m.polynomial(z, {3.20937758913846947e3, 3.77485237685302021e2,
                             1.13864154151050156e2, 3.16112374387056560,
                             1.85777706184603153e-1});
  Value q =
      m.polynomial(z, {2.84423683343917062e3, 1.28261652607737228e3,
                       2.44024637934444173e2, 2.36012909523441209e1, 1.0});
  Value near = m.div(m.mul(m.abs(x), p), q);
  // The polynomials of an infinity would have no quotient; NaN is kept.
  Value size = m.smaller(m.number(6.0), m.abs(x));
  Value c = m.polynomial(size, {1.23033935479799725e3, 2.05107837782607147e3,
                                1.71204761263407058e3, 8.81952221241769090e2,
                                2.98635138197400131e2, 6.61191906371416295e1,
                                8.88314979438837594, 5.64188496988670089e-1,
                                2.15311535474403846e-8});
  Value d =
      m.polynomial(size, {1.23033935480374942e3, 3.43936767414372164e3,
                          4.36261909014324716e3, 3.29079923573345963e3,
                          1.62138957456669019e3, 5.37181101862009858e2,
                          1.17693950891312499e2, 1.57449261107098347e1, 1.0});
  Value decay = emitExp(m, m.neg(m.mul(size, size)));
  Value far = m.sub(m.number(1.0), m.div(m.mul(decay, c), d));
  Value isNear = m.compare(P::OLT, size, m.number(0.46875));
  return withSignOf(m, x, m.select(isNear, near, far));
}

namespace {

/// Expands one operation in f64; with `single`, in f64 for f32 operands.
template <typename OpTy> struct ExpandInDouble : OpRewritePattern<OpTy> {
  using Expansion = Value (*)(const Arithmetic &, ValueRange);

  ExpandInDouble(MLIRContext *context, Expansion expansion, bool single)
      : OpRewritePattern<OpTy>(context, /*benefit=*/3), expansion(expansion),
        single(single) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF64() && !(single && element.isF32())) {
      return failure();
    }
    Location loc = op.getLoc();
    Type wide =
        Arithmetic(rewriter, loc, op.getType()).like(rewriter.getF64Type());
    SmallVector<Value> operands(op->getOperands());
    if (element.isF32()) {
      for (Value &operand : operands) {
        operand = arith::ExtFOp::create(rewriter, loc, wide, operand);
      }
    }
    Value result = expansion(Arithmetic(rewriter, loc, wide), operands);
    if (element.isF32()) {
      result = arith::TruncFOp::create(rewriter, loc, op.getType(), result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  Expansion expansion;
  bool single;
};

} // namespace

static Value emitSin(const Arithmetic &m, Value x) { return emitSine(m, x, 0); }
static Value emitCos(const Arithmetic &m, Value x) { return emitSine(m, x, 1); }

/// A function of one number.
template <typename OpTy, Value (*emit)(const Arithmetic &, Value)>
static void addUnary(RewritePatternSet &patterns, bool single) {
  patterns.add<ExpandInDouble<OpTy>>(
      patterns.getContext(),
      [](const Arithmetic &m, ValueRange v) { return emit(m, v[0]); }, single);
}

void accel::populateDoubleMathPatterns(RewritePatternSet &patterns) {
  addUnary<math::ExpOp, emitExp>(patterns, false);
  addUnary<math::LogOp, emitLog>(patterns, false);
  addUnary<math::TanhOp, emitTanh>(patterns, false);
  addUnary<math::ErfOp, emitErf>(patterns, false);
  addUnary<math::SinOp, emitSin>(patterns, true);
  addUnary<math::CosOp, emitCos>(patterns, true);
  patterns.add<ExpandInDouble<math::PowFOp>>(
      patterns.getContext(),
      [](const Arithmetic &m, ValueRange v) {
        return emitPower(m, v[0], v[1]);
      },
      true);
}
