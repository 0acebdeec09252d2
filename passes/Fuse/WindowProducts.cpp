// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With x the sum, g the rows of the product and w its other matrix,
//
//   x[s] = sum over p, k with p * stride + k * dilation = s of g[p] w[k].
//
// All s with the same remainder by the stride, a phase, see the same k; so the
// elements of a phase are windows of g, over neighbours, times the w of these
// k. The phases lie side by side in x.
#include "passes/Fuse/WindowProducts.h"

#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

namespace {

/// One phase along one axis: its windows of g have an element for each of
/// `taps`, `dilation` apart, and the first one begins at `start`, which may lie
/// in front of g.
struct Phase {
  int64_t start = 0, dilation = 1;
  SmallVector<int64_t> taps; ///< which k, in the order of g

  int64_t reach() const {
    return (static_cast<int64_t>(taps.size()) - 1) * dilation + 1;
  }
};

/// Along one axis: `count` elements of each phase, whose windows are read of g
/// with so many zeros around it.
struct PhasedAxis {
  int64_t count = 0;
  int64_t before = 0, after = 0;
  SmallVector<Phase> phases;
};

/// The phases of `length` elements of x from `first` on.
PhasedAxis cutIntoPhases(int64_t size, int64_t stride, int64_t dilation,
                         int64_t places, int64_t first, int64_t length) {
  PhasedAxis axis;
  axis.count = (length + stride - 1) / stride;
  for (int64_t i = 0; i < stride; ++i) {
    Phase phase;
    phase.dilation = stride == 1 ? dilation : 1;
    for (int64_t k = size - 1; k >= 0; --k) {
      if ((first + i - k * dilation) % stride == 0) {
        phase.taps.push_back(k);
      }
    }
    if (!phase.taps.empty()) {
      // Exact: the first tap divides.
      phase.start = (first + i - phase.taps.front() * dilation) / stride;
      int64_t end = phase.start + axis.count - 1 + phase.reach();
      axis.before = std::max(axis.before, -phase.start);
      axis.after = std::max(axis.after, end - places);
    }
    axis.phases.push_back(phase);
  }
  return axis;
}

/// What is summed, if it is a product whose rows count samples and windows.
class WindowProduct {
public:
  WindowProduct(ArithmeticBuilder &builder, SumWindowsOp sum)
      : b(builder), sum(sum), spatial(sum.getAxes().size()) {}

  /// Whether it is. Then `build` may be called.
  bool match();
  /// The elements of the sum from `first` on, `lengths` along its axes.
  Value build(ArrayRef<int64_t> first, ArrayRef<int64_t> lengths);

private:
  bool matchColumns(ArrayRef<int64_t> order);
  Value padRows(ArrayRef<PhasedAxis> axes);
  Value assemble(SmallVectorImpl<const Phase *> &chosen);
  Value buildPhase(ArrayRef<const Phase *> chosen);
  Value getWeights(ArrayRef<const Phase *> chosen);
  Value slice(Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape);

  int64_t samples() { return shapeOf(sum.getResult()).front(); }
  int64_t channels() { return shapeOf(sum.getResult()).back(); }
  int64_t depth() { return shapeOf(product.getLhs()).back(); }

  ArithmeticBuilder &b;
  SumWindowsOp sum;
  int64_t spatial;
  MatmulOp product;
  /// Which dimension of what the columns are seen as is c, and which are k...
  SmallVector<int64_t> columnSizes, columnOrder;
  Value weights; ///< (k..., depth, c)
  Value rows;    ///< g with zeros around it: (n, p..., depth)
  ArrayRef<PhasedAxis> phased;
};

} // namespace

/// Whether the columns of the product are (c, k...) in some order; `order`:
/// the dimensions of what they are seen as, in the order of the windows.
bool WindowProduct::matchColumns(ArrayRef<int64_t> order) {
  int64_t leading = spatial + 1;
  if (static_cast<int64_t>(order.size()) != leading + 1 + spatial ||
      !llvm::equal(order.take_front(leading), axisRange(0, leading))) {
    return false;
  }
  for (int64_t dimension : order.drop_front(leading)) {
    columnOrder.push_back(dimension - leading);
  }
  return true;
}

bool WindowProduct::match() {
  // The axes lie between samples and channels, and all are one product's.
  ArrayRef<int64_t> shape = shapeOf(sum.getOperand());
  if (!llvm::equal(sum.getAxes(), axisRange(1, spatial + 1)) ||
      static_cast<int64_t>(shape.size()) != 2 * spatial + 2) {
    return false;
  }
  bool hasSteps = llvm::all_of(
      llvm::zip_equal(sum.getStrides(), sum.getDilations()), [](auto each) {
        return std::get<0>(each) == 1 || std::get<1>(each) == 1;
      });
  auto transpose = sum.getOperand().getDefiningOp<TransposeOp>();
  Value seen = transpose ? transpose.getOperand() : sum.getOperand();
  auto reshape = seen.getDefiningOp<ReshapeOp>();
  product =
      reshape ? reshape.getOperand().getDefiningOp<MatmulOp>() : MatmulOp();
  if (!product || !hasSteps || product.getTransposeLhs() ||
      !product.getScales().empty() ||
      shapeOf(product.getResult()).size() != 2 ||
      product.getType() !=
          product.getLhs().getType().clone(shapeOf(product.getResult())) ||
      !product->hasOneUse() || !seen.hasOneUse() ||
      !sum.getOperand().hasOneUse()) {
    return false;
  }
  SmallVector<int64_t> order =
      transpose ? SmallVector<int64_t>(transpose.getPermutation())
                : axisRange(0, shape.size());
  if (!matchColumns(order)) {
    return false;
  }
  llvm::append_range(columnSizes, shapeOf(seen).drop_front(spatial + 1));
  int64_t places = llvm::product_of(shapeOf(seen).take_front(spatial + 1));
  return places == shapeOf(product.getResult()).front();
}

Value WindowProduct::slice(Value value, ArrayRef<int64_t> offsets,
                           ArrayRef<int64_t> shape) {
  SmallVector<int64_t> ones(shape.size(), 1);
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  return b.create<SliceOp>(type, value, offsets, ones);
}

Value WindowProduct::padRows(ArrayRef<PhasedAxis> axes) {
  SmallVector<int64_t> shape(shapeOf(sum.getOperand()).take_front(spatial + 1));
  shape.push_back(depth());
  Value value = b.reshape(product.getLhs(), shape);
  SmallVector<int64_t> low(shape.size(), 0), ones(shape.size(), 1);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    low[i + 1] = axis.before;
    shape[i + 1] += axis.before + axis.after;
  }
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  return b.create<PadOp>(type, value, low, ones);
}

/// The weights of the taps, one behind the other: (k... depth, c).
Value WindowProduct::getWeights(ArrayRef<const Phase *> chosen) {
  SmallVector<Value> parts;
  SmallVector<size_t> index(spatial, 0);
  while (true) {
    SmallVector<int64_t> offsets, shape(spatial, 1);
    for (auto [phase, i] : llvm::zip_equal(chosen, index)) {
      offsets.push_back(phase->taps[i]);
    }
    offsets.append(2, 0);
    shape.append({depth(), channels()});
    parts.push_back(
        b.reshape(slice(weights, offsets, shape), {depth(), channels()}));
    int64_t axis = spatial - 1;
    while (axis >= 0 && ++index[axis] == chosen[axis]->taps.size()) {
      index[axis--] = 0;
    }
    if (axis < 0) {
      return b.concat(parts);
    }
  }
}

/// The elements (n, q..., c) of one phase.
Value WindowProduct::buildPhase(ArrayRef<const Phase *> chosen) {
  SmallVector<int64_t> shape{samples()};
  for (const PhasedAxis &axis : phased) {
    shape.push_back(axis.count);
  }
  shape.push_back(channels());
  auto type = product.getType().clone(shape);
  if (llvm::any_of(chosen, [](const Phase *p) { return p->taps.empty(); })) {
    return b.constant(type, 0.0);
  }
  SmallVector<int64_t> offsets{0}, part{samples()}, sizes, dilations;
  for (auto [axis, phase] : llvm::zip_equal(phased, chosen)) {
    offsets.push_back(axis.before + phase->start);
    part.push_back(axis.count - 1 + phase->reach());
    sizes.push_back(phase->taps.size());
    dilations.push_back(phase->dilation);
  }
  offsets.push_back(0);
  part.push_back(depth());
  SmallVector<int64_t> ones(spatial, 1);
  Value windows =
      b.create<WindowsOp>(slice(rows, offsets, part), axisRange(1, spatial + 1),
                          sizes, ones, dilations);
  SmallVector<int64_t> order = axisRange(0, spatial + 1);
  llvm::append_range(order, axisRange(spatial + 2, 2 * spatial + 2));
  order.push_back(spatial + 1);
  int64_t places = type.getNumElements() / channels();
  Value lhs = b.reshape(b.create<TransposeOp>(windows, order),
                        {places, llvm::product_of(sizes) * depth()});
  Value made = b.create<MatmulOp>(lhs, getWeights(chosen), false, false,
                                  product.getRole());
  return b.reshape(made, shape);
}

/// The phases of the axes that are not chosen yet, side by side.
Value WindowProduct::assemble(SmallVectorImpl<const Phase *> &chosen) {
  size_t number = chosen.size();
  if (number == phased.size()) {
    return buildPhase(chosen);
  }
  auto axis = static_cast<int64_t>(number) + 1;
  SmallVector<Value> parts;
  SmallVector<int64_t> joined;
  for (const Phase &phase : phased[number].phases) {
    chosen.push_back(&phase);
    Value part = assemble(chosen);
    chosen.pop_back();
    SmallVector<int64_t> shape(shapeOf(part));
    joined = shape;
    shape.insert(shape.begin() + axis + 1, 1);
    parts.push_back(b.reshape(part, shape));
  }
  joined[axis] *= static_cast<int64_t>(parts.size());
  Value all =
      parts.size() == 1 ? parts.front() : b.create<ConcatOp>(parts, axis + 1);
  return b.reshape(all, joined);
}

Value WindowProduct::build(ArrayRef<int64_t> first, ArrayRef<int64_t> lengths) {
  SmallVector<PhasedAxis> axes;
  for (int64_t i = 0; i < spatial; ++i) {
    axes.push_back(cutIntoPhases(
        sum.getSizes()[i], sum.getStrides()[i], sum.getDilations()[i],
        shapeOf(sum.getOperand())[i + 1], first[i], lengths[i]));
  }
  phased = axes;
  rows = padRows(axes);
  // The columns' order, with c last and the depth in front of it.
  Value rhs = product.getRhs();
  if (product.getTransposeRhs()) {
    rhs = b.create<TransposeOp>(rhs, ArrayRef<int64_t>{1, 0});
  }
  SmallVector<int64_t> split{depth()}, order;
  llvm::append_range(split, columnSizes);
  for (int64_t k : ArrayRef(columnOrder).drop_front()) {
    order.push_back(k + 1);
  }
  order.append({0, columnOrder.front() + 1});
  weights = b.create<TransposeOp>(b.reshape(rhs, split), order);
  SmallVector<const Phase *> chosen;
  Value all = assemble(chosen);
  SmallVector<int64_t> none(spatial + 2, 0), shape{samples()};
  llvm::append_range(shape, lengths);
  shape.push_back(channels());
  return slice(all, none, shape);
}

namespace {

/// Whether windows overlap: those side by side are a view of the product.
bool overlap(SumWindowsOp op) {
  return llvm::any_of(
      llvm::zip_equal(op.getSizes(), op.getStrides(), op.getDilations()),
      [](auto each) {
        auto [size, stride, dilation] = each;
        return size > 1 && (dilation > 1 || stride < size);
      });
}

/// The only reader of `sum`, if it takes a part along the axes of the windows:
/// the gradient of a padded input.
SliceOp getPart(SumWindowsOp sum) {
  auto part =
      sum->hasOneUse() ? dyn_cast<SliceOp>(*sum->user_begin()) : SliceOp();
  ArrayRef<int64_t> whole = shapeOf(sum.getResult());
  bool isPart =
      part && shapeOf(part.getResult()).front() == whole.front() &&
      shapeOf(part.getResult()).back() == whole.back() &&
      llvm::all_of(part.getStrides(), [](int64_t i) { return i == 1; });
  return isPart ? part : SliceOp();
}

struct MultiplyWindows : OpRewritePattern<SumWindowsOp> {
  MultiplyWindows(MLIRContext *context)
      : OpRewritePattern<SumWindowsOp>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(SumWindowsOp op,
                                PatternRewriter &rewriter) const override {
    ArithmeticBuilder b(rewriter, op.getLoc());
    WindowProduct product(b, op);
    if (!overlap(op) || !product.match()) {
      return failure();
    }
    SliceOp part = getPart(op);
    Operation *wanted = part ? part.getOperation() : op.getOperation();
    ArrayRef<int64_t> lengths =
        shapeOf(wanted->getResult(0)).drop_front().drop_back();
    SmallVector<int64_t> first(lengths.size(), 0);
    if (part) {
      first.assign(part.getOffsets().begin() + 1, part.getOffsets().end() - 1);
    }
    rewriter.replaceOp(wanted, product.build(first, lengths));
    return success();
  }
};

} // namespace

void accel::populateWindowProducts(RewritePatternSet &patterns) {
  patterns.add<MultiplyWindows>(patterns.getContext());
}
