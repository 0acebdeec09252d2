// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves transposes that bring channels to the front behind what follows, so
// that those of neighbouring convolutions meet and cancel out.
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ByElement.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_SINKTRANSPOSESPASS
#include "passes/Import/Passes.h.inc"

namespace {

/// The order that moves the last dimension behind the first: (n, s..., c) to
/// (n, c, s...).
SmallVector<int64_t> getChannelsFirst(int64_t rank) {
  return invertPermutationVector(axisLast(rank, 1));
}

RankedTensorType getTypeChannelsLast(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.clone(
      applyPermutation(type.getShape(), axisLast(type.getRank(), 1)));
}

/// The transpose that makes `value` if it brings channels to the front. Of
/// three dimensions it could be any matrices'.
TransposeOp getTranspose(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  int64_t rank = shapeOf(value).size();
  bool isOne =
      transpose && !transpose.getStored() && rank >= 4 &&
      transpose.getPermutation() == ArrayRef<int64_t>(getChannelsFirst(rank));
  return isOne ? transpose : TransposeOp();
}

bool isSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// Values of channels first as they are with the channels last.
class ChannelsLast {
public:
  ChannelsLast(PatternRewriter &rewriter, Location loc) : b(rewriter, loc) {}

  /// Whether `value` costs nothing to have so.
  static bool has(Value value) {
    return getTranspose(value) || isSplat(value) ||
           value.getDefiningOp<BroadcastOp>();
  }

  /// Requires: `has(value)`.
  Value of(Value value) {
    if (TransposeOp transpose = getTranspose(value)) {
      return transpose.getOperand();
    }
    RankedTensorType type = getTypeChannelsLast(value);
    if (auto constant = value.getDefiningOp<ConstantOp>()) {
      auto splat = cast<SplatElementsAttr>(constant.getValue());
      return b.create<ConstantOp>(splat.resizeSplat(type));
    }
    return repeat(value.getDefiningOp<BroadcastOp>(), type);
  }

  ArithmeticBuilder b;

private:
  /// A broadcast in another order of its result's dimensions, the operand
  /// transposed where that changes theirs.
  Value repeat(BroadcastOp broadcast, RankedTensorType type) {
    SmallVector<int64_t> order = getChannelsFirst(type.getRank());
    SmallVector<std::pair<int64_t, int64_t>> places;
    for (auto [from, to] : llvm::enumerate(broadcast.getDimensions())) {
      places.emplace_back(order[to], static_cast<int64_t>(from));
    }
    llvm::sort(places);
    SmallVector<int64_t> dimensions, permutation;
    for (auto [to, from] : places) {
      dimensions.push_back(to);
      permutation.push_back(from);
    }
    Value operand = broadcast.getOperand();
    if (!llvm::is_sorted(permutation)) {
      operand = b.create<TransposeOp>(operand, permutation);
    }
    return b.create<BroadcastOp>(type, operand, dimensions);
  }
};

/// Whether all operands can have the channels last, and at least one has.
bool haveChannelsLast(ValueRange operands) {
  return llvm::all_of(operands, ChannelsLast::has) &&
         llvm::any_of(operands, [](Value operand) {
           return bool(getTranspose(operand));
         });
}

/// `made`, with the channels last, in the order that was there before.
void replaceByTransposed(PatternRewriter &rewriter, Operation *op, Value made) {
  rewriter.replaceOpWithNewOp<TransposeOp>(
      op, op->getResult(0).getType(), made,
      getChannelsFirst(shapeOf(made).size()));
}

/// What is computed element by element is so in any order.
struct SinkBehindElementwise : OpInterfaceRewritePattern<FusionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(FusionOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isComputedByElement(op) || !haveChannelsLast(op->getOperands())) {
      return failure();
    }
    ChannelsLast last(rewriter, op.getLoc());
    SmallVector<Value> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return last.of(operand); });
    replaceByTransposed(
        rewriter, op,
        buildLike(rewriter, op, operands,
                  getTypeChannelsLast(op->getResult(0)).getShape()));
    return success();
  }
};

/// A reduction over other dimensions of the operand as it lies.
template <typename OpTy> struct SinkBehindReduction : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    TransposeOp transpose = getTranspose(op.getOperand());
    if (!transpose) {
      return failure();
    }
    ArrayRef<int64_t> order = transpose.getPermutation();
    SmallVector<int64_t> axes, kept, wanted;
    for (auto [to, from] : llvm::enumerate(order)) {
      bool isReduced =
          llvm::is_contained(op.getAxes(), static_cast<int64_t>(to));
      (isReduced ? axes : wanted).push_back(from);
    }
    // The first of several equal elements is another one in another order.
    if (axes.empty() || (op->hasAttr("first") && !llvm::is_sorted(axes))) {
      return failure();
    }
    llvm::sort(axes);
    kept = wanted;
    llvm::sort(kept);
    SmallVector<int64_t> shape, permutation;
    for (int64_t dimension : kept) {
      shape.push_back(shapeOf(transpose.getOperand())[dimension]);
    }
    for (int64_t dimension : wanted) {
      permutation.push_back(llvm::find(kept, dimension) - kept.begin());
    }
    NamedAttrList attributes(op->getAttrDictionary());
    attributes.set(op.getAxesAttrName(), rewriter.getDenseI64ArrayAttr(axes));
    auto type = cast<RankedTensorType>(op.getType());
    OperationState state(op.getLoc(), op->getName(), transpose.getOperand(),
                         type.clone(shape), attributes);
    Value reduced = rewriter.create(state)->getResult(0);
    if (llvm::is_sorted(permutation)) {
      rewriter.replaceOp(op, reduced);
    } else {
      rewriter.replaceOpWithNewOp<TransposeOp>(op, type, reduced, permutation);
    }
    return success();
  }
};

/// Tensors side by side along another dimension.
struct SinkBehindConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (!haveChannelsLast(op.getOperands())) {
      return failure();
    }
    ChannelsLast last(rewriter, op.getLoc());
    SmallVector<Value> operands = llvm::map_to_vector(
        op.getOperands(), [&](Value operand) { return last.of(operand); });
    int64_t axis =
        getChannelsFirst(shapeOf(op.getResult()).size())[op.getAxis()];
    replaceByTransposed(rewriter, op,
                        ConcatOp::create(rewriter, op.getLoc(),
                                         getTypeChannelsLast(op.getResult()),
                                         operands, axis));
    return success();
  }
};

/// Places in one dimension, as a vision transformer has them: channels go to
/// the front behind that.
struct SinkBehindFlatten : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    TransposeOp transpose = getTranspose(op.getOperand());
    ArrayRef<int64_t> shape = shapeOf(op.getResult());
    if (!transpose || shape.size() != 3 ||
        shape.take_front(2) != shapeOf(op.getOperand()).take_front(2)) {
      return failure();
    }
    auto flat =
        ReshapeOp::create(rewriter, op.getLoc(), transpose.getOperand(),
                          ArrayRef<int64_t>{shape[0], shape[2], shape[1]});
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), flat,
                                             ArrayRef<int64_t>{0, 2, 1});
    return success();
  }
};

class SinkTransposesPass
    : public impl::SinkTransposesPassBase<SinkTransposesPass> {
public:
  using SinkTransposesPassBase::SinkTransposesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<SinkBehindElementwise, SinkBehindReduction<ReduceSumOp>,
            SinkBehindReduction<ReduceMaxOp>, SinkBehindReduction<ReduceMinOp>,
            SinkBehindConcat, SinkBehindFlatten>(context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config))) {
      getOperation().emitError("moving transposes did not come to an end");
      signalPassFailure();
    }
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace accel
