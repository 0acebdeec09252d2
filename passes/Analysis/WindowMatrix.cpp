// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts the dimensions of a composed view into those of rows and of columns.
#include "passes/Analysis/WindowMatrix.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/ComposedView.h"

using namespace mlir;
using namespace accel;

bool accel::mayBeWindows(Type element) {
  return element.isF32() || element.isBF16() || element.isF16();
}

/// Takes the last dimensions of `view`, `size` elements in all; nothing if its
/// dimensions cannot be cut there.
static std::optional<AffineView> takeBack(AffineView &view, int64_t size) {
  AffineView taken;
  while (size > 1) {
    if (view.sizes.empty()) {
      return std::nullopt;
    }
    int64_t last = view.sizes.back(), stride = view.strides.back();
    int64_t part = std::min(last, size);
    if (last % part != 0 || size % part != 0) {
      return std::nullopt;
    }
    taken.sizes.insert(taken.sizes.begin(), part);
    taken.strides.insert(taken.strides.begin(), stride);
    size /= part;
    view.sizes.pop_back();
    view.strides.pop_back();
    if (last > part) {
      view.sizes.push_back(last / part);
      view.strides.push_back(stride * part);
    }
  }
  return taken;
}

std::optional<WindowMatrix> WindowMatrix::find(Value operand, Value root) {
  ArrayRef<int64_t> shape = shapeOf(operand);
  bool isMatrix = shape.size() >= 2 && mayBeWindows(elementTypeOf(operand));
  std::optional<AffineView> view =
      isMatrix ? getComposedView(operand, root) : std::nullopt;
  if (!view) {
    return std::nullopt;
  }
  std::optional<AffineView> columns = takeBack(*view, shape.back());
  std::optional<AffineView> rows = takeBack(*view, shape[shape.size() - 2]);
  bool isWalked = columns && rows && !columns->sizes.empty() &&
                  columns->strides.back() == 1;
  if (!isWalked) {
    return std::nullopt;
  }
  int64_t offset = view->offset;
  view->offset = 0;
  return WindowMatrix{*view, *rows, *columns, offset};
}

std::optional<WindowMatrix> WindowMatrix::findInKernel(Value operand) {
  Value root = getViewRoot(operand);
  int64_t offset = 0;
  if (!isa<BlockArgument>(root) || isContiguousPart(operand, root, offset)) {
    return std::nullopt;
  }
  return find(operand, root);
}
