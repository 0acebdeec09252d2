// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// g is the left matrix of a product, a row for each window, and w[k] its right
// one: the columns of element k.
#include "passes/Fuse/WindowProducts.h"

#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Analysis/WindowMatrix.h"
#include "passes/Fuse/ProductPart.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

namespace {

/// The windows (n, p..., c, k...) of the sum are views of a product whose rows
/// are (n, p...) and whose columns (c, k...), in any order. With several
/// matrices, those are groups of c, and of g.
class ProductOfWindows : public WindowPhases {
public:
  using WindowPhases::WindowPhases;

  bool match();

private:
  bool findProduct();
  bool matchPlaces(Value windows);
  bool matchColumns(ArrayRef<int64_t> strides);
  Value round(Value sums);
  Value multiply(Value lhs, Value rhs, ArrayRef<int64_t> shape);
  void prepare() override;
  Value buildPhase(Choice chosen, ArrayRef<int64_t> shape) override;
  Value getWeights(Choice chosen);

  int64_t depth() { return shapeOf(product.getLhs()).back(); }
  int64_t channels() { return shapeOf(sum.getResult()).back() / groups; }

  MatmulOp product;
  Value root; ///< the product, or what it is rounded to
  int64_t groups = 1;
  /// The dimensions of the columns, and where c and k... are among them.
  SmallVector<int64_t> columnSizes, columnPlaces;
  Value rows;    ///< g with zeros around it: (n, p..., groups depth)
  Value weights; ///< (k..., groups, depth, c)
};

} // namespace

/// `strides`: those of c and k... in the product.
bool ProductOfWindows::matchColumns(ArrayRef<int64_t> strides) {
  SmallVector<int64_t> sizes{channels()};
  llvm::append_range(sizes, sum.getSizes());
  // From the innermost one on, each begins where the ones before it end.
  SmallVector<size_t> inner;
  int64_t reached = 1;
  for (size_t round = 0; round < sizes.size(); ++round) {
    size_t next = 0;
    while (next < sizes.size() &&
           (llvm::is_contained(inner, next) ||
            (sizes[next] > 1 && strides[next] != reached))) {
      ++next;
    }
    if (next == sizes.size()) {
      return false;
    }
    inner.push_back(next);
    reached *= sizes[next];
  }
  columnPlaces.resize(sizes.size());
  for (auto [place, dimension] : llvm::enumerate(llvm::reverse(inner))) {
    columnSizes.push_back(sizes[dimension]);
    columnPlaces[dimension] = static_cast<int64_t>(place);
  }
  return reached == shapeOf(product.getResult()).back();
}

/// `windows`: (n, p..., groups, c, k...), a view of the product.
bool ProductOfWindows::matchPlaces(Value windows) {
  std::optional<StridedView> view = getStridedView(windows, root);
  if (!view || view->offset != 0) {
    return false;
  }
  ArrayRef<int64_t> shape = shapeOf(windows), strides = view->strides;
  int64_t columns = shapeOf(product.getResult()).back();
  int64_t expected = columns;
  for (int64_t i = spatial; i >= 0; --i) {
    if (shape[i] > 1 && strides[i] != expected) {
      return false;
    }
    expected *= shape[i];
  }
  bool areGroups = groups == 1 || strides[spatial + 1] == expected;
  return areGroups && matchColumns(strides.drop_front(spatial + 2));
}

/// Whether the sum is one of a product, or of a rounded one of 16 bits.
bool ProductOfWindows::findProduct() {
  root = getViewRoot(sum.getOperand());
  product = root.getDefiningOp<MatmulOp>();
  if (auto rounding = root.getDefiningOp<CastOp>();
      rounding && rounding->hasOneUse()) {
    product = rounding.getOperand().getDefiningOp<MatmulOp>();
  }
  return product && product->hasOneUse() && !product.getTransposeLhs() &&
         elementTypeOf(sum.getOperand()).isF32() &&
         mayBeWindows(elementTypeOf(product.getLhs())) &&
         (root == product.getResult() ||
          elementTypeOf(root) == elementTypeOf(product.getLhs()));
}

bool ProductOfWindows::match() {
  if (!canBeCut() || !findProduct() || shapeOf(root).size() > 3 ||
      getNumElements(root) != getNumElements(sum.getOperand())) {
    return false;
  }
  groups = shapeOf(root).size() == 3 ? shapeOf(root).front() : 1;
  if (shapeOf(sum.getResult()).back() % groups != 0) {
    return false;
  }
  // Only to ask how the groups lie.
  SmallVector<int64_t> split(shapeOf(sum.getOperand()));
  split[spatial + 1] = groups;
  split.insert(split.begin() + spatial + 2, channels());
  auto seen = ReshapeOp::create(b.getBuilder(), b.getLoc(), sum.getOperand(),
                                ArrayRef<int64_t>(split));
  bool isMatch = matchPlaces(seen);
  seen.erase();
  return isMatch;
}

void ProductOfWindows::prepare() {
  SmallVector<int64_t> shape(shapeOf(sum.getOperand()).take_front(spatial + 1));
  shape.push_back(groups * depth());
  Value lhs = product.getLhs();
  if (shapeOf(lhs).size() == 3) {
    lhs = b.create<TransposeOp>(lhs, ArrayRef<int64_t>{1, 0, 2});
  }
  rows = pad(b.reshape(lhs, shape));
  Value rhs = product.getRhs();
  if (product.getTransposeRhs()) {
    rhs = b.create<TransposeOp>(rhs, getMatrixTranspose(shapeOf(rhs).size()));
  }
  SmallVector<int64_t> split{groups, depth()}, order;
  llvm::append_range(split, columnSizes);
  for (int64_t place : ArrayRef(columnPlaces).drop_front()) {
    order.push_back(place + 2);
  }
  order.append({0, 1, columnPlaces.front() + 2});
  weights = b.create<TransposeOp>(b.reshape(rhs, split), order);
}

/// The weights of the taps, one behind the other: (groups, k... depth, c).
Value ProductOfWindows::getWeights(Choice chosen) {
  SmallVector<Value> parts;
  forEachTap(chosen, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> offsets, shape(spatial, 1);
    for (auto [phase, i] : llvm::zip_equal(chosen, index)) {
      offsets.push_back(phase->taps[i]);
    }
    offsets.append(3, 0);
    shape.append({groups, depth(), channels()});
    parts.push_back(b.reshape(slice(weights, offsets, shape),
                              {groups, depth(), channels()}));
  });
  return parts.size() == 1 ? parts.front()
                           : b.create<ConcatOp>(parts, int64_t{1});
}

/// `sums` in the type to which products are rounded here.
Value ProductOfWindows::round(Value sums) {
  return b.cast(b.cast(sums, elementTypeOf(root)), elementTypeOf(sums));
}

Value ProductOfWindows::multiply(Value lhs, Value rhs,
                                 ArrayRef<int64_t> shape) {
  return createPart(b, product, shape, lhs, rhs,
                    /*transposeLhs=*/false, /*transposeRhs=*/false);
}

Value ProductOfWindows::buildPhase(Choice chosen, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes, dilations, ones(spatial, 1);
  for (const WindowPhase *phase : chosen) {
    sizes.push_back(phase->taps.size());
    dilations.push_back(phase->dilation);
  }
  Value windows = b.create<WindowsOp>(
      getSeen(rows, chosen), axisRange(1, spatial + 1), sizes, ones, dilations);
  // (n, q..., groups, depth, k...) as (groups, n q..., k... depth).
  SmallVector<int64_t> split(shapeOf(windows));
  split[spatial + 1] = groups;
  split.insert(split.begin() + spatial + 2, depth());
  SmallVector<int64_t> order{spatial + 1};
  llvm::append_range(order, axisRange(0, spatial + 1));
  llvm::append_range(order, axisRange(spatial + 3, 2 * spatial + 3));
  order.push_back(spatial + 2);
  int64_t places = llvm::product_of(shape.drop_back());
  int64_t summed = llvm::product_of(sizes) * depth();
  Value lhs = b.create<TransposeOp>(b.reshape(windows, split), order);
  Value rhs = getWeights(chosen);
  if (groups == 1) {
    Value made =
        multiply(b.reshape(lhs, {places, summed}),
                 b.reshape(rhs, {summed, channels()}), {places, channels()});
    return b.reshape(round(made), shape);
  }
  Value made = multiply(b.reshape(lhs, {groups, places, summed}), rhs,
                        {groups, places, channels()});
  return b.reshape(
      b.create<TransposeOp>(round(made), ArrayRef<int64_t>{1, 0, 2}), shape);
}

std::unique_ptr<WindowPhases>
accel::findProductOfWindows(ArithmeticBuilder &builder, SumWindowsOp sum) {
  auto product = std::make_unique<ProductOfWindows>(builder, sum);
  return product->match() ? std::move(product) : nullptr;
}

namespace {

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

struct CutIntoPhases : OpRewritePattern<SumWindowsOp> {
  explicit CutIntoPhases(MLIRContext *context)
      : OpRewritePattern<SumWindowsOp>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(SumWindowsOp op,
                                PatternRewriter &rewriter) const override {
    ArithmeticBuilder b(rewriter, op.getLoc());
    if (areApart(op)) {
      return failure();
    }
    std::unique_ptr<WindowPhases> phases = findProductOfWindows(b, op);
    if (!phases) {
      phases = findComputedWindows(b, op);
    }
    if (!phases) {
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
    rewriter.replaceOp(wanted, phases->build(first, lengths));
    return success();
  }
};

} // namespace

void accel::populateWindowProducts(RewritePatternSet &patterns) {
  patterns.add<CutIntoPhases>(patterns.getContext());
}
