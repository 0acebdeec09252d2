// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions become arithmetic, and products meet their sums, in a
// form that gives the same bits on every target with fused multiply-add.
#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <limits>

namespace accel {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "passes/Lower/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

using P = arith::CmpFPredicate;

namespace {

//===----------------------------------------------------------------------===//
// Fused multiply-add
//===----------------------------------------------------------------------===//

/// A product that `user` alone uses, in its own block: one that is made once
/// for a row is a vector's elements on a CPU, and would be fused on a GPU
/// alone.
arith::MulFOp onlyProduct(Operation *user, Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() &&
                 product->getBlock() == user->getBlock()
             ? product
             : arith::MulFOp();
}

struct FuseAdd : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    Value addend = op.getRhs();
    arith::MulFOp product = onlyProduct(op, op.getLhs());
    if (!product) {
      product = onlyProduct(op, op.getRhs());
      addend = op.getLhs();
    }
    if (!product) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, product.getLhs(),
                                             product.getRhs(), addend);
    return success();
  }
};

struct FuseSub : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SubFOp op,
                                PatternRewriter &rewriter) const override {
    auto negated = [&](Value v) -> Value {
      return arith::NegFOp::create(rewriter, op.getLoc(), v);
    };
    if (arith::MulFOp product = onlyProduct(op, op.getLhs())) {
      rewriter.replaceOpWithNewOp<math::FmaOp>(
          op, product.getLhs(), product.getRhs(), negated(op.getRhs()));
      return success();
    }
    if (arith::MulFOp product = onlyProduct(op, op.getRhs())) {
      rewriter.replaceOpWithNewOp<math::FmaOp>(op, negated(product.getLhs()),
                                               product.getRhs(), op.getLhs());
      return success();
    }
    return failure();
  }
};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

// exp for f32: 15 operations, 1 ulp. x = n ln 2 + r; adding 1.5 * 2^23 rounds x
// / ln 2 to n and leaves n in the low bits, which are then added to the
// exponent of the polynomial. 0 below the smallest normal number (so exp(-inf)
// = 0), inf above the largest, NaN kept.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32()) {
      return failure();
    }
    Arithmetic m(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand();
    Value magic = m.number(0x1.8p23);
    Value t = m.fma(x, m.number(1.44269504), magic);
    Value n = m.sub(t, magic);
    // ln 2 in two parts; the first has few enough bits for n times it to be
    // exact.
    Value r = m.fma(n, m.number(-0x1.62e4p-1), x);
    r = m.fma(n, m.number(-0x1.7f7d1cp-20), r);
    Value p = m.polynomial(r, {1.0, 1.0, 0.5, 0.16666577, 0.0416665547,
                               0.00836317307, 0.00139261761});
    Value y = m.fromBits(m.add(m.bits(p), m.shiftLeft(m.bits(t), 23)));
    y = m.select(m.compare(P::OLT, x, m.number(-87.336545)), m.number(0.0), y);
    // Where x is no number, y is what its bits make, on some processors a
    // number.
    Value isHighOrNaN = m.compare(P::UGT, x, m.number(88.722839));
    Value infinity = m.number(std::numeric_limits<double>::infinity());
    rewriter.replaceOp(op, m.select(isHighOrNaN, m.mul(x, infinity), y));
    return success();
  }
};

// erf for f32: 19 operations, 5 ulp. x P(x^2) / Q(x^2), fitted to erf with a
// relative error of 2e-8 where |x| is at most 3.92; beyond, erf is 1 or -1 in
// f32. No coefficient is negative, so that nothing cancels. NaN kept: each
// choice takes its second operand then.
struct ExpandErf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32()) {
      return failure();
    }
    Arithmetic m(rewriter, op.getLoc(), op.getType());
    auto clamp = [&](Value value, double most) {
      return m.smaller(m.number(most), m.larger(m.number(-most), value));
    };
    Value x = clamp(op.getOperand(), 3.92);
    Value s = m.mul(x, x);
    Value p = m.polynomial(s, {1.1283791065216064, 0.19040268659591675,
                               0.05274822562932968, 0.0037654535844922066,
                               0.00028487888630479574, 2.050115426754928e-06});
    Value q = m.polynomial(s, {1.0, 0.5020727515220642, 0.11410754919052124,
                               0.014968891628086567, 0.0011624954640865326,
                               3.8091802707640454e-05});
    rewriter.replaceOp(op, clamp(m.div(m.mul(x, p), q), 1.0));
    return success();
  }
};

/// NaN if one operand is. The processors' own maximum forgets one of the two
/// NaNs.
template <typename OpTy, P predicate>
struct ExpandExtremum : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Arithmetic m(rewriter, op.getLoc(), op.getType());
    Value a = op.getLhs();
    Value b = op.getRhs();
    Value chosen = m.select(m.compare(predicate, a, b), a, b);
    rewriter.replaceOp(op, m.select(m.compare(P::UNO, a, a), a, chosen));
    return success();
  }
};

class ExpandMathPass : public accel::impl::ExpandMathPassBase<ExpandMathPass> {
  void runOnOperation() override {
    if (failed(fuseProducts()) || failed(expandFunctions())) {
      signalPassFailure();
    }
  }

  /// First: the expansions say themselves what is fused.
  LogicalResult fuseProducts() {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseAdd, FuseSub>(&getContext());
    return applyPatternsGreedily(getOperation(), std::move(patterns),
                                 inOrder());
  }

  LogicalResult expandFunctions() {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExp, ExpandErf>(&getContext(), /*benefit=*/2);
    patterns.add<ExpandExtremum<arith::MaximumFOp, P::OGT>,
                 ExpandExtremum<arith::MinimumFOp, P::OLT>>(&getContext());
    populateDoubleMathPatterns(patterns);
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.tanh", "math.log"}, name);
    });
    return applyPatternsGreedily(getOperation(), std::move(patterns),
                                 inOrder());
  }

  static GreedyRewriteConfig inOrder() {
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    return config;
  }
};

} // namespace
