// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of windows, and reductions over windows, as arithmetic on one view for
// each element of a window.
#include "passes/Fuse/ExpandWindows.h"

#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Fuse/WindowElement.h"
#include "passes/Fuse/WindowPhases.h"

using namespace mlir;
using namespace accel;

namespace {

/// Of larger windows, reductions stay loops.
constexpr int64_t kMostElements = 128;

//===----------------------------------------------------------------------===//
// Sums of windows
//===----------------------------------------------------------------------===//

/// The sum of windows that overlap: along the last axis first, each element of
/// a window padded to its place, then along the others.
class OverlapSum {
public:
  OverlapSum(ArithmeticBuilder &builder, SumWindowsOp op)
      : b(builder), op(op), indices(op.getSizes().size(), 0),
        windowAxes(axisRange(shapeOf(op.getResult()).size(),
                             shapeOf(op.getOperand()).size())) {}

  Value build() { return along(0); }

private:
  /// The sum over the elements of a window along axis `number` and the ones
  /// behind it.
  Value along(size_t number) {
    if (number == indices.size()) {
      return WindowElement(b, windowAxes, indices).of(op.getOperand());
    }
    Value sum;
    for (int64_t k = 0; k < op.getSizes()[number]; ++k) {
      indices[number] = k;
      Value term = place(along(number + 1), number, k);
      sum = sum ? b.add(sum, term) : term;
    }
    return sum;
  }

  /// Element `k` of each window along axis `number`, where it lies.
  Value place(Value elements, size_t number, int64_t k) {
    auto type = cast<RankedTensorType>(elements.getType());
    SmallVector<int64_t> low(type.getRank(), 0), strides(type.getRank(), 1),
        shape(type.getShape());
    int64_t axis = op.getAxes()[number];
    shape[axis] = shapeOf(op.getResult())[axis];
    low[axis] = k * op.getDilations()[number];
    strides[axis] = type.getDimSize(axis) == 1 ? 1 : op.getStrides()[number];
    return b.create<PadOp>(type.clone(shape), elements, low, strides);
  }

  ArithmeticBuilder &b;
  SumWindowsOp op;
  SmallVector<int64_t> indices, windowAxes;
};

/// Windows that lie side by side: their elements in the order of the tensor,
/// and zeros between and behind them.
Value layOut(ArithmeticBuilder &b, SumWindowsOp op) {
  int64_t rank = shapeOf(op.getResult()).size();
  SmallVector<int64_t> order, shape(shapeOf(op.getResult()));
  SmallVector<int64_t> joined;
  for (int64_t dimension = 0; dimension < rank; ++dimension) {
    order.push_back(dimension);
    const auto *axis = llvm::find(op.getAxes(), dimension);
    joined.push_back(shapeOf(op.getOperand())[dimension]);
    if (axis != op.getAxes().end()) {
      int64_t number = axis - op.getAxes().begin();
      order.push_back(rank + number);
      joined.back() *= op.getStrides()[number];
    }
  }
  Value moved = b.create<TransposeOp>(op.getOperand(), order);
  auto type = cast<RankedTensorType>(moved.getType());
  SmallVector<int64_t> spaced(type.getShape()), low(spaced.size(), 0),
      steps(spaced.size(), 1);
  for (auto [place, source] : llvm::enumerate(order)) {
    if (source >= rank) {
      spaced[place] = op.getStrides()[source - rank];
    }
  }
  Value wide = b.create<PadOp>(type.clone(spaced), moved, low, steps);
  Value flat = b.reshape(wide, joined);
  // What lies behind the last window is zeros, more or fewer of them.
  SmallVector<int64_t> cut, none(rank, 0), ones(rank, 1);
  for (auto [have, want] : llvm::zip_equal(joined, shape)) {
    cut.push_back(std::min(have, want));
  }
  auto result = cast<RankedTensorType>(flat.getType());
  Value part = b.create<SliceOp>(result.clone(cut), flat, none, ones);
  return b.create<PadOp>(result.clone(shape), part, none, ones);
}

struct ExpandSumWindows : OpRewritePattern<SumWindowsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SumWindowsOp op,
                                PatternRewriter &rewriter) const override {
    ArithmeticBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, areApart(op) ? layOut(b, op)
                                        : OverlapSum(b, op).build());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Reductions of windows
//===----------------------------------------------------------------------===//

Value combine(ArithmeticBuilder &b, Operation *reduction, Value lhs,
              Value rhs) {
  return isa<ReduceSumOp>(reduction)   ? b.add(lhs, rhs)
         : isa<ReduceMaxOp>(reduction) ? b.max(lhs, rhs)
                                       : b.min(lhs, rhs);
}

/// A reduction over the elements of each window: the elements one after the
/// other, each of all windows at once.
template <typename OpTy> struct UnrollWindows : OpRewritePattern<OpTy> {
  UnrollWindows(MLIRContext *context)
      : OpRewritePattern<OpTy>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = shapeOf(op.getOperand());
    int64_t rank = shape.size();
    std::optional<int64_t> inWindow = getWindowRank(op.getOperand());
    if (!inWindow || op.getAxes().empty() ||
        op.getAxes().front() < rank - *inWindow) {
      return failure();
    }
    SmallVector<int64_t> sizes;
    int64_t count = 1;
    for (int64_t axis : op.getAxes()) {
      sizes.push_back(shape[axis]);
      count *= shape[axis];
    }
    if (count > kMostElements) {
      return failure();
    }
    ArithmeticBuilder b(rewriter, op.getLoc());
    Value result;
    forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
      Value each = WindowElement(b, op.getAxes(), index).of(op.getOperand());
      result = result ? combine(b, op, result, each) : each;
    });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A sum over windows for each of their elements: one sum over rows for each,
/// which lie behind each other.
struct SumOverWindows : OpRewritePattern<ReduceSumOp> {
  SumOverWindows(MLIRContext *context)
      : OpRewritePattern<ReduceSumOp>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(ReduceSumOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = shapeOf(op.getOperand());
    int64_t rank = shape.size();
    std::optional<int64_t> inWindow = getWindowRank(op.getOperand());
    if (!inWindow || op.getAxes().empty() ||
        op.getAxes().back() >= rank - *inWindow) {
      return failure();
    }
    SmallVector<int64_t> windowAxes = axisRange(rank - *inWindow, rank);
    ArrayRef<int64_t> sizes = shape.take_back(*inWindow);
    ArithmeticBuilder b(rewriter, op.getLoc());
    SmallVector<Value> sums;
    forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
      Value each = WindowElement(b, windowAxes, index).of(op.getOperand());
      Value sum = b.sum(each, op.getAxes());
      SmallVector<int64_t> row{1};
      llvm::append_range(row, shapeOf(sum));
      sums.push_back(b.reshape(sum, row));
    });
    // Elements of windows lie behind everything else.
    Value stacked = b.concat(sums);
    SmallVector<int64_t> order = axisRange(1, shapeOf(stacked).size());
    order.push_back(0);
    Value moved = b.create<TransposeOp>(stacked, order);
    rewriter.replaceOp(op, b.reshape(moved, shapeOf(op.getResult())));
    return success();
  }
};

} // namespace

void accel::populateWindowExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandSumWindows, UnrollWindows<ReduceSumOp>,
               UnrollWindows<ReduceMaxOp>, UnrollWindows<ReduceMinOp>,
               SumOverWindows>(patterns.getContext());
}
