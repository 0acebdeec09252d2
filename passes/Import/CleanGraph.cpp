// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Removes what exporters leave behind: dead and repeated operations, views that
// cancel out, transposes before products.
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_CLEANGRAPHPASS
#include "passes/Import/Passes.h.inc"

namespace {

/// The permutation that swaps the last two of `rank` dimensions.
SmallVector<int64_t> getSwapOfLastTwo(int64_t rank) {
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[rank - 2], permutation[rank - 1]);
  return permutation;
}

/// reshape(transpose(reshape(x))) that flattens leading dimensions, swaps the
/// last two and unflattens again: how exporters transpose the keys of
/// attention.
struct UnflattenSwap : public OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getOperand().getDefiningOp<TransposeOp>();
    auto inner = transpose ? transpose.getOperand().getDefiningOp<ReshapeOp>()
                           : ReshapeOp();
    if (!inner) {
      return failure();
    }
    ArrayRef<int64_t> from =
        cast<RankedTensorType>(inner.getOperand().getType()).getShape();
    ArrayRef<int64_t> to = cast<RankedTensorType>(op.getType()).getShape();
    ArrayRef<int64_t> flat = cast<RankedTensorType>(inner.getType()).getShape();
    int64_t rank = from.size();
    if (rank < 2 || flat.size() < 2 || from.take_back(2) != flat.take_back(2) ||
        transpose.getPermutation() !=
            ArrayRef<int64_t>(getSwapOfLastTwo(flat.size()))) {
      return failure();
    }
    SmallVector<int64_t> swapped(from);
    std::swap(swapped[rank - 2], swapped[rank - 1]);
    if (ArrayRef<int64_t>(swapped) != to) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<TransposeOp>(
        op, op.getType(), inner.getOperand(), getSwapOfLastTwo(rank));
    return success();
  }
};

/// matmul(transpose(x), ...) and matmul(..., transpose(x)) where the transpose
/// moves the last dimension to be the last but one: the swap becomes a flag and
/// the last dimension stays contiguous.
struct TransposeIntoMatmul : public OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Value lhs = withoutSwap(op.getLhs(), rewriter);
    Value rhs = withoutSwap(op.getRhs(), rewriter);
    if (!lhs && !rhs) {
      return failure();
    }
    rewriter.modifyOpInPlace(op, [&] {
      if (lhs) {
        op.getLhsMutable().assign(lhs);
        op.setTransposeLhs(!op.getTransposeLhs());
      }
      if (rhs) {
        op.getRhsMutable().assign(rhs);
        op.setTransposeRhs(!op.getTransposeRhs());
      }
    });
    return success();
  }

private:
  /// The value whose last two dimensions are swapped in `value`; null where
  /// that would not help.
  static Value withoutSwap(Value value, PatternRewriter &rewriter) {
    auto transpose = value.getDefiningOp<TransposeOp>();
    if (!transpose) {
      return Value();
    }
    SmallVector<int64_t> permutation(transpose.getPermutation());
    int64_t rank = permutation.size();
    if (rank < 2 || permutation[rank - 2] != rank - 1) {
      return Value();
    }
    std::swap(permutation[rank - 2], permutation[rank - 1]);
    if (llvm::is_sorted(permutation)) {
      return transpose.getOperand();
    }
    SmallVector<int64_t> shape(transpose.getType().getShape());
    std::swap(shape[rank - 2], shape[rank - 1]);
    return TransposeOp::create(rewriter, transpose.getLoc(),
                               transpose.getType().clone(shape),
                               transpose.getOperand(), permutation);
  }
};

/// A gather of all rows in their order is a reshape.
struct GatherOfAllRows : public OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    auto constant = op.getIndices().getDefiningOp<ConstantOp>();
    auto table = cast<RankedTensorType>(op.getTable().getType());
    auto indices = constant
                       ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                       : DenseIntElementsAttr();
    // A padding row would get a gradient of the reshape.
    if (!indices || op.getPaddingRow() ||
        indices.getNumElements() != table.getDimSize(0)) {
      return failure();
    }
    int64_t row = 0;
    for (const APInt &index : indices) {
      if (index.getSExtValue() != row++) {
        return failure();
      }
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getTable());
    return success();
  }
};

class CleanGraphPass : public impl::CleanGraphPassBase<CleanGraphPass> {
public:
  using CleanGraphPassBase::CleanGraphPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<UnflattenSwap, TransposeIntoMatmul, GatherOfAllRows>(context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    // It also folds: views of views become one, those that change nothing go.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config))) {
      getOperation().emitError("cleaning the graph did not come to an end");
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace accel
