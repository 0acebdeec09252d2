// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators that put back what windows have taken out of images:
// Col2Im, PyTorch's fold, and MaxUnpool.
#include "frontends/onnx/Builders/ChannelsLast.h"
#include "frontends/onnx/Builders/ChosenRows.h"
#include "frontends/onnx/Builders/Rounding.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Columns (n, c k..., p...) as windows (n, p..., c, k...).
Value toWindows(NodeConversion &c, ArrayRef<WindowAxis> axes,
                int64_t channels) {
  SmallVector<int64_t> shape{c.inputType(0).getDimSize(0), channels};
  for (const WindowAxis &axis : axes) {
    shape.push_back(axis.size);
  }
  for (const WindowAxis &axis : axes) {
    shape.push_back(axis.count);
  }
  int64_t rank = axes.size();
  SmallVector<int64_t> order{0};
  for (int64_t i = 0; i < rank; ++i) {
    order.push_back(2 + rank + i);
  }
  for (int64_t i = 1; i < 2 + rank; ++i) {
    order.push_back(i);
  }
  return c.transpose(c.reshape(c.input(0), shape), order);
}

/// The image without the padding that windows cover; (n, s..., c).
Value cutPadding(NodeConversion &c, Value image, ArrayRef<WindowAxis> axes) {
  SmallVector<int64_t> shape(c.typeOf(image).getShape());
  SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    offsets[i + 1] = axis.before;
    shape[i + 1] = axis.input;
  }
  return c.slice(image, offsets, shape, strides);
}

/// Zeros behind the last element of each dimension, up to `shape`.
Value padBehind(NodeConversion &c, Value value, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> low(shape.size(), 0), strides(shape.size(), 1);
  RankedTensorType type = c.typeOf(value);
  return type.getShape() == shape
             ? value
             : PadOp::create(c.builder, c.loc, type.clone(shape), value, low,
                             strides)
                   .getResult();
}

} // namespace

LogicalResult convertCol2Im(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> image = c.getConstantInts(1),
                                  sizes = c.getConstantInts(2);
  if (failed(image) || failed(sizes)) {
    return failure();
  }
  FailureOr<SmallVector<WindowAxis>> axes = getWindowAxes(c, *image, *sizes);
  if (failed(axes)) {
    return failure();
  }
  RankedTensorType type = c.inputType(0);
  int64_t window = llvm::product_of(*sizes), places = 1;
  SmallVector<int64_t> covered;
  for (const WindowAxis &axis : *axes) {
    places *= axis.count;
    covered.push_back(axis.padded());
  }
  if (type.getRank() != 3 || type.getDimSize(1) % window != 0 ||
      type.getDimSize(2) != places) {
    return c.error() << "expected (n, channels x " << window << ", " << places
                     << ") columns, got " << type;
  }
  Value windows = toWindows(c, *axes, type.getDimSize(1) / window);
  Value summed = sumWindows(c, windows, *axes, covered);
  c.setResult(0, toChannelsFirst(c, cutPadding(c, summed, *axes)));
  return success();
}

LogicalResult convertMaxUnpool(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  if (type.getRank() < 3 || !isa<FloatType>(type.getElementType()) ||
      c.inputType(1) != type.clone(c.builder.getI64Type())) {
    return c.error() << "expected floats (n, c, s...) and a 64-bit index for "
                        "each, got "
                     << type << " and " << c.inputType(1);
  }
  FailureOr<SmallVector<WindowAxis>> axes =
      getTransposedAxes(c, *c.getInts("kernel_shape"));
  if (failed(axes)) {
    return failure();
  }
  // What the indices count: (n, c, s...).
  SmallVector<int64_t> shape(type.getShape().take_front(2));
  for (const WindowAxis &axis : *axes) {
    shape.push_back(axis.count);
  }
  FailureOr<SmallVector<int64_t>> wanted = shape;
  if (c.hasInput(2)) {
    wanted = c.getConstantInts(2);
  }
  if (failed(wanted)) {
    return failure();
  }
  bool fits = wanted->size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    fits = (*wanted)[i] >= shape[i];
  }
  if (!fits) {
    return c.error() << "expected an output at least as large as the windows "
                        "in each dimension";
  }
  ArrayRef<int64_t> front = type.getShape().take_front(2);
  int64_t plane = llvm::product_of(ArrayRef(shape).drop_front(2));
  int64_t pooled = llvm::product_of(type.getShape().drop_front(2));
  SmallVector<int64_t> rows{front[0], front[1], pooled};
  // Indices count through samples and channels; each has a plane of its own.
  RankedTensorType places = type.clone(c.builder.getI64Type()).clone(rows);
  Formula f(c, places);
  Value flat = c.reshape(c.input(1), rows);
  Value size = f.number(double(plane));
  Value inPlane = f.sub(flat, f.mul(f.div(flat, size), size));
  Value empty = c.makeConstant(type.clone({front[0], front[1], plane}), 0);
  FailureOr<Value> filled = scatterRows(
      c, empty, inPlane, c.reshape(c.input(0), rows), 2, ScatterKind::Replace);
  if (failed(filled)) {
    return failure();
  }
  c.setResult(0, padBehind(c, c.reshape(*filled, shape), *wanted));
  return success();
}

} // namespace accel::onnx
