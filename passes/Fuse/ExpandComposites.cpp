// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites composites into the primitives that kernels are made of, and other
// operations without a kernel of their own (pads, sums over middle dimensions)
// into ones that have.
#include "passes/Fuse/Passes.h"

#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Fuse/ExpandWindows.h"
#include "passes/Fuse/WindowProducts.h"
#include "passes/Target/Target.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseSet.h"

namespace accel {
#define GEN_PASS_DEF_EXPANDCOMPOSITESPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

SmallVector<int64_t> lastAxis(Value value) {
  return {static_cast<int64_t>(shapeOf(value).size()) - 1};
}

/// A value repeated along the last dimension of `like`.
Value spreadRows(ArithmeticBuilder &b, Value rows, Value like) {
  return b.spread(rows, like, lastAxis(like));
}

/// A vector over the last dimension, repeated for every row of `like`.
Value spreadColumns(ArithmeticBuilder &b, Value columns, Value like) {
  return b.create<BroadcastOp>(like.getType(), columns, lastAxis(like));
}

Value reduceMax(ArithmeticBuilder &b, Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  Type reduced =
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  return b.create<ReduceMaxOp>(reduced, operand, lastAxis(operand));
}

struct ExpandLayerNorm : OpRewritePattern<LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LayerNormOp op,
                                PatternRewriter &rewriter) const override {
    ArithmeticBuilder b(rewriter, op.getLoc());
    Value x = op.getOperand();
    double count = shapeOf(x).back();
    Value mean = b.mul(b.sum(x, lastAxis(x)), 1.0 / count);
    Value centred = b.sub(x, spreadRows(b, mean, x));
    Value variance =
        b.mul(b.sum(b.mul(centred, centred), lastAxis(x)), 1.0 / count);
    Value rstd = b.rsqrt(b.add(variance, op.getEpsilon().convertToDouble()));
    Value y = b.mul(b.mul(centred, spreadRows(b, rstd, x)),
                    spreadColumns(b, op.getScale(), x));
    if (op.getBias()) {
      y = b.add(y, spreadColumns(b, op.getBias(), x));
    }
    rewriter.replaceOp(op, {y, mean, rstd});
    return success();
  }
};

/// exp(x - max) and what it takes to make a softmax of it.
struct StableExp {
  Value maximum, exponentials, sum;
};

StableExp stableExp(ArithmeticBuilder &b, Value x) {
  Value maximum = reduceMax(b, x);
  Value e = b.exp(b.sub(x, spreadRows(b, maximum, x)));
  return {maximum, e, b.sum(e, lastAxis(x))};
}

struct ExpandSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    ArithmeticBuilder b(rewriter, op.getLoc());
    StableExp s = stableExp(b, op.getOperand());
    Value inverse = b.div(b.constant(s.sum, 1.0), s.sum);
    rewriter.replaceOp(
        op, b.mul(s.exponentials, spreadRows(b, inverse, op.getOperand())));
    return success();
  }
};

struct ExpandCrossEntropy : OpRewritePattern<SoftmaxCrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxCrossEntropyOp op,
                                PatternRewriter &rewriter) const override {
    ArithmeticBuilder b(rewriter, op.getLoc());
    Value x = op.getLogits();
    Value labels = op.getLabels();
    Type indexType = cast<RankedTensorType>(labels.getType()).clone(shapeOf(x));
    Value columns = b.create<IotaOp>(indexType, rewriter.getI64IntegerAttr(1));
    Value spreadLabels =
        b.create<BroadcastOp>(indexType, labels, ArrayRef<int64_t>{0});
    Value isTarget = b.compare(ComparePredicate::EQ, columns, spreadLabels);
    Value target = b.sum(b.keepWhere(isTarget, x), lastAxis(x));
    StableExp s = stableExp(b, x);
    Value lse = b.add(s.maximum, b.log(s.sum));
    Value valid = b.isClass(labels, shapeOf(x)[1]);
    rewriter.replaceOp(op, {b.keepWhere(valid, b.sub(lse, target)), lse});
    return success();
  }
};

/// Those that the target computes with a product stay what they are.
template <typename OpTy> struct ExpandGelu : OpRewritePattern<OpTy> {
  ExpandGelu(MLIRContext *context, const llvm::DenseSet<Operation *> &kept)
      : OpRewritePattern<OpTy>(context), kept(kept) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (kept.contains(op)) {
      return failure();
    }
    rewriter.replaceOp(op, op.expand(rewriter));
    return success();
  }

  const llvm::DenseSet<Operation *> &kept;
};

/// Parts of a concatenation from which on it is one of concatenations: a kernel
/// has code for each of its parts, and those of as many equal ones are one.
constexpr unsigned kMostParts = 128, kPartsTogether = 64;

/// What recurrent layers of many steps put together.
struct ExpandConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumOperands() <= kMostParts) {
      return failure();
    }
    SmallVector<Value> together;
    ValueRange rest = op.getOperands();
    while (!rest.empty()) {
      ValueRange parts =
          rest.take_front(std::min<size_t>(rest.size(), kPartsTogether));
      rest = rest.drop_front(parts.size());
      together.push_back(
          ConcatOp::create(rewriter, op.getLoc(), parts, op.getAxis()));
    }
    rewriter.replaceOpWithNewOp<ConcatOp>(op, together, op.getAxis());
    return success();
  }
};

/// A pad is a concatenation with zeros, one dimension after the other.
struct ExpandPad : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    ArithmeticBuilder b(rewriter, op.getLoc());
    Value x = op.getOperand();
    ArrayRef<int64_t> target = shapeOf(op.getResult());
    for (int64_t axis = 0; axis < static_cast<int64_t>(target.size()); ++axis) {
      x = spaceOut(b, x, axis, op.getStrides()[axis]);
      x = between(b, x, axis, op.getLow()[axis], target[axis]);
    }
    rewriter.replaceOp(op, x);
    return success();
  }

private:
  static Value zeros(ArithmeticBuilder &b, Value like,
                     ArrayRef<int64_t> shape) {
    return b.constant(cast<RankedTensorType>(like.getType()).clone(shape), 0.0);
  }

  /// Puts `stride - 1` zeros behind every element along `axis`.
  static Value spaceOut(ArithmeticBuilder &b, Value x, int64_t axis,
                        int64_t stride) {
    if (stride == 1) {
      return x;
    }
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> split(type.getShape());
    split.insert(split.begin() + axis + 1, 1);
    Value column = b.create<ReshapeOp>(type.clone(split), x);
    split[axis + 1] = stride - 1;
    Value gap = zeros(b, x, split);
    split[axis + 1] = stride;
    Value both = b.create<ConcatOp>(type.clone(split), ValueRange{column, gap},
                                    axis + 1);
    SmallVector<int64_t> joined(type.getShape());
    joined[axis] *= stride;
    return b.create<ReshapeOp>(type.clone(joined), both);
  }

  /// Puts `low` zeros before and as many behind as `size` needs; cuts trailing
  /// zeros that go beyond.
  static Value between(ArithmeticBuilder &b, Value x, int64_t axis, int64_t low,
                       int64_t size) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (low + shape[axis] > size) {
      shape[axis] = size - low;
      SmallVector<int64_t> first(shape.size(), 0);
      SmallVector<int64_t> steps(shape.size(), 1);
      x = b.create<SliceOp>(type.clone(shape), x, first, steps);
    }
    int64_t high = size - low - shape[axis];
    SmallVector<Value> parts;
    for (int64_t width : {low, int64_t(-1), high}) {
      if (width < 0) {
        parts.push_back(x);
      } else if (width > 0) {
        SmallVector<int64_t> gap(shape);
        gap[axis] = width;
        parts.push_back(zeros(b, x, gap));
      }
    }
    shape[axis] = size;
    return parts.size() == 1
               ? x
               : b.create<ConcatOp>(type.clone(shape), parts, axis);
  }
};

/// Kernels sum over leading or over trailing dimensions: any others are brought
/// to the end.
template <typename OpTy> struct NormalizeReduction : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = shapeOf(op.getOperand()).size();
    ArrayRef<int64_t> axes = op.getAxes();
    int64_t count = axes.size();
    bool isPrefix = count > 0 && axes.back() == count - 1;
    bool isSuffix = count > 0 && axes.front() == rank - count;
    bool isSum = std::is_same_v<OpTy, ReduceSumOp>;
    if (isSuffix || (isPrefix && isSum)) {
      return failure();
    }
    ArithmeticBuilder b(rewriter, op.getLoc());
    if (count == 0) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    SmallVector<int64_t> order = otherAxes(rank, axes);
    order.append(axes.begin(), axes.end());
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    SmallVector<int64_t> shape;
    for (int64_t axis : order) {
      shape.push_back(type.getDimSize(axis));
    }
    Value moved =
        b.create<TransposeOp>(type.clone(shape), op.getOperand(), order);
    rewriter.replaceOpWithNewOp<OpTy>(op, op.getType(), moved,
                                      axisRange(rank - count, rank));
    return success();
  }
};

/// A sum over very many elements into one number is a sum of sums, so that a
/// thread pool can share it.
struct SplitFullSum : OpRewritePattern<ReduceSumOp> {
  using OpRewritePattern::OpRewritePattern;
  static constexpr int64_t kRow = 1024;

  LogicalResult matchAndRewrite(ReduceSumOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    int64_t count = type.getNumElements();
    if (op.getType().getNumElements() != 1 || count <= 16 * kRow ||
        count % kRow != 0) {
      return failure();
    }
    ArithmeticBuilder b(rewriter, op.getLoc());
    Value rows =
        b.create<ReshapeOp>(type.clone({count / kRow, kRow}), op.getOperand());
    Value total = b.sum(b.sum(rows, {1}), {0});
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), total);
    return success();
  }
};

class ExpandCompositesPass
    : public accel::impl::ExpandCompositesPassBase<ExpandCompositesPass> {
public:
  using ExpandCompositesPassBase::ExpandCompositesPassBase;

private:
  void runOnOperation() override {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return signalPassFailure();
    }
    llvm::DenseSet<Operation *> kept;
    getOperation().walk([&](MatmulOp product) {
      if (Operation *activation = target->getActivation(product)) {
        kept.insert(activation);
      }
    });
    RewritePatternSet patterns(&getContext());
    patterns
        .add<ExpandLayerNorm, ExpandSoftmax, ExpandCrossEntropy, ExpandConcat,
             ExpandPad, SplitFullSum, NormalizeReduction<ReduceSumOp>,
             NormalizeReduction<ReduceMaxOp>, NormalizeReduction<ReduceMinOp>>(
            &getContext());
    patterns.add<ExpandGelu<GeluOp>, ExpandGelu<GeluGradOp>>(&getContext(),
                                                             kept);
    populateWindowProducts(patterns);
    populateWindowExpansions(patterns);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config))) {
      signalPassFailure();
    }
  }
};

} // namespace
