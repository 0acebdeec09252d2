// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the order of a matrix's elements with that of windows.
#include "passes/Analysis/Convolution.h"

#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Analysis/ProductShape.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Analysis/WindowMatrix.h"

using namespace mlir;
using namespace accel;

static bool isRounding(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  return cast && elementTypeOf(cast.getOperand()).isF32() &&
         SmallFloat::get(elementTypeOf(cast.getResult()));
}

WindowsOp accel::findWindows(Value operand) {
  while (Operation *op = operand.getDefiningOp()) {
    if (auto windows = dyn_cast<WindowsOp>(op)) {
      return windows;
    }
    if (!isa<ReshapeOp, TransposeOp>(op) && !isRounding(op)) {
      return {};
    }
    operand = op->getOperand(0);
  }
  return {};
}

ArrayRef<int64_t> Convolution::places() {
  return shapeOf(windows.getResult()).slice(1, spatial());
}

SmallVector<int64_t> Convolution::imageShape() {
  SmallVector<int64_t> shape{samples};
  for (auto [place, size, stride, dilation] :
       llvm::zip_equal(places(), windows.getSizes(), windows.getStrides(),
                       windows.getDilations())) {
    shape.push_back((place - 1) * stride + (size - 1) * dilation + 1);
  }
  shape.push_back(channels);
  return shape;
}

SmallVector<int64_t> Convolution::weightsShape() {
  SmallVector<int64_t> shape{filters};
  llvm::append_range(shape, windows.getSizes());
  shape.push_back(channels);
  return shape;
}

SmallVector<int64_t> Convolution::outputShape() {
  SmallVector<int64_t> shape{samples};
  llvm::append_range(shape, places());
  shape.push_back(filters);
  return shape;
}

SmallVector<int64_t> Convolution::weightsStrides() {
  SmallVector<int64_t> shape = weightsShape(), strides(shape.size(), 1);
  auto last = static_cast<int64_t>(shape.size()) - 1;
  // From the innermost dimension on.
  SmallVector<int64_t> order;
  auto addColumns = [&] {
    SmallVector<int64_t> elements = axisRange(1, last);
    if (!isChannelFirst) {
      order.push_back(last);
    }
    order.append(elements.rbegin(), elements.rend());
    if (isChannelFirst) {
      order.push_back(last);
    }
  };
  bool isFilterInner =
      direction == plan::ConvolutionDirection::Forward && !isMatrixTransposed;
  if (isFilterInner) {
    order.push_back(0);
  }
  addColumns();
  if (!isFilterInner) {
    order.push_back(0);
  }
  int64_t stride = 1;
  for (int64_t dimension : order) {
    strides[dimension] = stride;
    stride *= shape[dimension];
  }
  return strides;
}

/// For each element of the matrix `operand`, in row-major order, which
/// dimensions of the windows' tensor it moves along: those of `from`, with
/// sizes of 1 left out. Nothing where a reshape cuts a dimension.
static std::optional<SmallVector<int64_t>> getOrder(Value operand,
                                                    WindowsOp windows) {
  if (operand == windows.getResult()) {
    SmallVector<int64_t> order;
    for (auto [dimension, size] : llvm::enumerate(shapeOf(operand))) {
      if (size > 1) {
        order.push_back(static_cast<int64_t>(dimension));
      }
    }
    return order;
  }
  Operation *op = operand.getDefiningOp();
  auto order = getOrder(op->getOperand(0), windows);
  auto transpose = dyn_cast<TransposeOp>(op);
  if (!order || !transpose) {
    return order;
  }
  // The dimensions of the windows that each dimension in front of the transpose
  // is made of.
  ArrayRef<int64_t> sizes = shapeOf(windows.getResult());
  SmallVector<SmallVector<int64_t>> parts;
  size_t next = 0;
  for (int64_t size : shapeOf(transpose.getOperand())) {
    SmallVector<int64_t> part;
    int64_t reached = 1;
    while (reached < size && next < order->size()) {
      part.push_back((*order)[next]);
      reached *= sizes[(*order)[next++]];
    }
    if (reached != size) {
      return std::nullopt;
    }
    parts.push_back(part);
  }
  order->clear();
  for (int64_t from : transpose.getPermutation()) {
    llvm::append_range(*order, parts[from]);
  }
  return order;
}

/// Whether the rows of the matrix are (n, p...) and its columns (k..., c), or
/// (c, k...).
static bool isInOrder(Value operand, WindowsOp windows, bool isChannelFirst) {
  auto spatial = static_cast<int64_t>(windows.getSizes().size());
  std::optional<SmallVector<int64_t>> order = getOrder(operand, windows);
  ArrayRef<int64_t> sizes = shapeOf(windows.getResult());
  SmallVector<int64_t> expected = axisRange(0, spatial + 1);
  if (isChannelFirst) {
    expected.push_back(spatial + 1);
  }
  llvm::append_range(expected, axisRange(spatial + 2, 2 * spatial + 2));
  if (!isChannelFirst) {
    expected.push_back(spatial + 1);
  }
  llvm::erase_if(expected,
                 [&](int64_t dimension) { return sizes[dimension] == 1; });
  int64_t rows = llvm::product_of(sizes.take_front(spatial + 1));
  return order == expected && shapeOf(operand).size() == 2 &&
         shapeOf(operand).front() == rows;
}

/// Whether windows are the elements of an image that lies in one piece, one by
/// one.
static bool isMatrix(WindowsOp windows) {
  auto isOne = [](int64_t each) { return each == 1; };
  Value image = windows.getOperand();
  int64_t offset = 0;
  return llvm::all_of(windows.getSizes(), isOne) &&
         llvm::all_of(windows.getStrides(), isOne) &&
         isContiguousPart(image, getViewRoot(image), offset);
}

std::optional<Convolution> Convolution::find(MatmulOp product) {
  constexpr size_t kMostSpatial = 3;
  bool isGradient = product.getTransposeLhs();
  Value operand = isGradient ? product.getRhs() : product.getLhs();
  WindowsOp windows = findWindows(operand);
  if (!windows || !mayBeWindows(elementTypeOf(operand)) ||
      (isGradient && product.getTransposeRhs())) {
    return std::nullopt;
  }
  size_t spatial = windows.getSizes().size();
  if (spatial > kMostSpatial ||
      shapeOf(windows.getOperand()).size() != spatial + 2 ||
      !llvm::equal(windows.getAxes(),
                   axisRange(1, static_cast<int64_t>(spatial) + 1)) ||
      isMatrix(windows)) {
    return std::nullopt;
  }
  bool isChannelLast = isInOrder(operand, windows, /*isChannelFirst=*/false);
  if (!isChannelLast && !isInOrder(operand, windows, /*isChannelFirst=*/true)) {
    return std::nullopt;
  }
  ProductShape shape = ProductShape::get(product);
  Convolution found;
  found.direction = isGradient ? plan::ConvolutionDirection::WeightGradient
                               : plan::ConvolutionDirection::Forward;
  found.windows = windows;
  found.isChannelFirst = !isChannelLast;
  found.matrix = isGradient ? product.getLhs() : product.getRhs();
  found.isMatrixTransposed = !isGradient && product.getTransposeRhs();
  found.samples = shapeOf(windows.getOperand()).front();
  found.channels = shapeOf(windows.getOperand()).back();
  found.filters = isGradient ? shape.rows : shape.columns;
  return found;
}
