// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators that read an image between its pixels, at places that
// the model computes.
//
// A point is a weighted sum of pixels, and most weights are zero. All of them
// are written out, points x pixels for each sample, so that reading is a
// product with the image: no sample reads another's image, and the gradients of
// the image and of the places are those of the parts.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Builders/ExactProduct.h"
#include "frontends/onnx/Builders/GridAxis.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace accel::onnx {
namespace {

FailureOr<GridPadding> getPadding(NodeConversion &c) {
  StringRef name = c.getString("padding_mode", "zeros");
  auto padding = llvm::StringSwitch<std::optional<GridPadding>>(name)
                     .Case("zeros", GridPadding::Zeros)
                     .Case("border", GridPadding::Border)
                     .Case("reflection", GridPadding::Reflection)
                     .Default(std::nullopt);
  if (!padding) {
    return c.error() << "expected padding_mode 'zeros', 'border' or "
                        "'reflection', got '"
                     << name << "'";
  }
  return *padding;
}

/// Operator set 16 has other names.
FailureOr<StringRef> getMode(NodeConversion &c) {
  StringRef name = c.getString("mode", "linear");
  StringRef mode = llvm::StringSwitch<StringRef>(name)
                       .Cases({"linear", "bilinear"}, "linear")
                       .Cases({"cubic", "bicubic"}, "cubic")
                       .Case("nearest", "nearest")
                       .Default("");
  if (mode.empty()) {
    return c.error() << "expected mode 'linear', 'cubic' or 'nearest', got '"
                     << name << "'";
  }
  return mode;
}

LogicalResult checkGrid(NodeConversion &c) {
  RankedTensorType image = c.inputType(0), grid = c.inputType(1);
  int64_t rank = image.getRank();
  bool fits = rank >= 3 && grid.getRank() == rank &&
              grid.getDimSize(0) == image.getDimSize(0) &&
              grid.getShape().back() == rank - 2 &&
              isa<FloatType>(image.getElementType()) &&
              isa<FloatType>(grid.getElementType());
  return fits ? success()
              : LogicalResult(c.error()
                              << "expected an image (n, c, s...) and a grid "
                                 "(n, p..., dimensions of s) of floats, got "
                              << image << " and " << grid);
}

/// `i` of the dimensions that the last one of `grid` counts, the last one
/// first; (n, points).
Value getPlaces(NodeConversion &c, Value grid, int64_t i) {
  ArrayRef<int64_t> shape = c.typeOf(grid).getShape();
  int64_t samples = shape[0], points = shape[1];
  Value column =
      c.slice(grid, {0, 0, shape[2] - 1 - i}, {samples, points, 1}, {1, 1, 1});
  return c.reshape(column, {samples, points});
}

/// Weights of more dimensions, (n, points, s...), times those of one more.
Value combine(NodeConversion &c, Value outer, Value inner) {
  RankedTensorType type = c.typeOf(outer);
  SmallVector<int64_t> shape(type.getShape());
  int64_t rank = type.getRank();
  shape.push_back(c.typeOf(inner).getShape().back());
  auto spread = [&](Value weights, ArrayRef<int64_t> dimensions) {
    return BroadcastOp::create(c.builder, c.loc, type.clone(shape), weights,
                               dimensions);
  };
  return MulOp::create(c.builder, c.loc, spread(outer, axisRange(0, rank)),
                       spread(inner, {0, 1, rank}));
}

/// `count` places from -1 to 1: the centers of pixels of which the outermost
/// lie there, or their edges.
Value getCenters(NodeConversion &c, RankedTensorType type, int64_t dimension,
                 bool alignsCorners) {
  Formula f(c, type);
  double count = double(type.getDimSize(dimension));
  double step = alignsCorners ? (count > 1 ? 2 / (count - 1) : 0) : 2 / count;
  double begin = alignsCorners ? (count > 1 ? -1 : 0) : 1 / count - 1;
  return f.add(f.scale(step, f.index(dimension)), f.number(begin));
}

} // namespace

LogicalResult convertGridSample(NodeConversion &c) {
  FailureOr<GridPadding> padding = getPadding(c);
  FailureOr<StringRef> mode = getMode(c);
  if (failed(padding) || failed(mode) || failed(checkGrid(c))) {
    return failure();
  }
  RankedTensorType type = c.inputType(0);
  ArrayRef<int64_t> shape = type.getShape(), sizes = shape.drop_front(2);
  ArrayRef<int64_t> counts = c.inputType(1).getShape().drop_front().drop_back();
  int64_t samples = shape[0], points = llvm::product_of(counts);
  int64_t axes = sizes.size();
  Value grid = c.reshape(c.cast(c.input(1), type.getElementType()),
                         {samples, points, axes});
  Value weights;
  for (int64_t i = 0; i < axes; ++i) {
    GridAxis axis(c, type.clone({samples, points}), sizes[i],
                  c.getInt("align_corners", 0) != 0, *padding);
    Value place = axis.toPixels(getPlaces(c, grid, i));
    Value own = axis.getWeights(axis.getTaps(*mode, place));
    weights = weights ? combine(c, weights, own) : own;
  }
  int64_t pixels = llvm::product_of(sizes);
  Value image = c.reshape(c.input(0), {samples, shape[1], pixels});
  Value read = makeExactProduct(c, {samples, shape[1], points}, image,
                                c.reshape(weights, {samples, points, pixels}),
                                /*transposeRhs=*/true);
  SmallVector<int64_t> result{samples, shape[1]};
  llvm::append_range(result, counts);
  c.setResult(0, c.reshape(read, result));
  return success();
}

LogicalResult convertAffineGrid(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> size = c.getConstantInts(1);
  if (failed(size)) {
    return failure();
  }
  RankedTensorType type = c.inputType(0);
  int64_t axes = std::ssize(*size) - 2;
  SmallVector<int64_t> expected{size->empty() ? 0 : size->front(), axes,
                                axes + 1};
  if (axes < 1 || type.getShape() != ArrayRef(expected) ||
      !isa<FloatType>(type.getElementType())) {
    return c.error() << "expected a matrix of d x (d + 1) floats for each "
                        "sample of an image with d dimensions, got "
                     << type;
  }
  ArrayRef<int64_t> sizes = ArrayRef(*size).drop_front(2);
  int64_t points = llvm::product_of(sizes);
  SmallVector<Value> rows;
  for (int64_t i = axes - 1; i >= 0; --i) {
    rows.push_back(c.reshape(
        getCenters(c, type.clone(sizes), i, c.getInt("align_corners", 0) != 0),
        {1, points}));
  }
  rows.push_back(c.makeConstant(type.clone({1, points}), 1));
  Value matrices = c.reshape(c.input(0), {expected[0] * axes, axes + 1});
  Value moved = makeExactProduct(c, {expected[0] * axes, points}, matrices,
                                 c.concat(rows, 0), /*transposeRhs=*/false);
  SmallVector<int64_t> result{expected[0]};
  llvm::append_range(result, sizes);
  result.push_back(axes);
  c.setResult(
      0, c.reshape(c.transpose(c.reshape(moved, {expected[0], axes, points}),
                               {0, 2, 1}),
                   result));
  return success();
}

} // namespace accel::onnx
