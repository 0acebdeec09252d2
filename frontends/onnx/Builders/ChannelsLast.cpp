// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposes, padding and windows with the channels last.
#include "frontends/onnx/Builders/ChannelsLast.h"

#include "dialects/Accel/IR/ArithmeticBuilder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// One attribute of all axes, as `accel.windows` has it.
template <typename Get>
SmallVector<int64_t> collect(ArrayRef<WindowAxis> axes, Get get) {
  return llvm::map_to_vector(axes, get);
}

struct WindowArrays {
  SmallVector<int64_t> axes, sizes, strides, dilations;

  explicit WindowArrays(ArrayRef<WindowAxis> windows)
      : axes(axisRange(1, static_cast<int64_t>(windows.size()) + 1)),
        sizes(collect(windows, [](const WindowAxis &a) { return a.size; })),
        strides(collect(windows, [](const WindowAxis &a) { return a.stride; })),
        dilations(
            collect(windows, [](const WindowAxis &a) { return a.dilation; })) {}
};

} // namespace

Value toChannelsLast(const NodeConversion &c, Value value) {
  return c.transpose(value, axisLast(c.typeOf(value).getRank(), 1));
}

Value toChannelsFirst(const NodeConversion &c, Value value) {
  return c.transpose(
      value, invertPermutationVector(axisLast(c.typeOf(value).getRank(), 1)));
}

Value padAround(const NodeConversion &c, Value value, ArrayRef<WindowAxis> axes,
                double number) {
  RankedTensorType type = c.typeOf(value);
  SmallVector<int64_t> low(type.getRank(), 0), shape(type.getShape());
  for (auto [i, axis] : llvm::enumerate(axes)) {
    low[i + 1] = axis.before;
    shape[i + 1] = axis.padded();
  }
  if (type.getShape() == ArrayRef<int64_t>(shape)) {
    return value;
  }
  if (number == 0.0) {
    SmallVector<int64_t> ones(type.getRank(), 1);
    return PadOp::create(c.builder, c.loc, type.clone(shape), value, low, ones);
  }
  // `accel.pad` knows zeros only: any other number is put beside the tensor.
  for (auto [i, axis] : llvm::enumerate(axes)) {
    SmallVector<Value> parts;
    auto add = [&](int64_t count) {
      SmallVector<int64_t> gap(c.typeOf(value).getShape());
      gap[i + 1] = count;
      if (count > 0) {
        parts.push_back(c.makeConstant(type.clone(gap), number));
      }
    };
    add(axis.before);
    parts.push_back(value);
    add(axis.after + axis.beyond);
    value = c.concat(parts, static_cast<int64_t>(i) + 1);
  }
  return value;
}

Value makeWindows(const NodeConversion &c, Value value,
                  ArrayRef<WindowAxis> axes) {
  WindowArrays arrays(axes);
  SmallVector<int64_t> shape(c.typeOf(value).getShape());
  for (auto [i, axis] : llvm::enumerate(axes)) {
    shape[i + 1] = axis.count;
  }
  llvm::append_range(shape, arrays.sizes);
  return WindowsOp::create(c.builder, c.loc, c.typeOf(value).clone(shape),
                           value, arrays.axes, arrays.sizes, arrays.strides,
                           arrays.dilations);
}

Value sumWindows(const NodeConversion &c, Value windows,
                 ArrayRef<WindowAxis> axes, ArrayRef<int64_t> sizes) {
  WindowArrays arrays(axes);
  RankedTensorType type = c.typeOf(windows);
  SmallVector<int64_t> shape(type.getShape().drop_back(axes.size()));
  llvm::copy(sizes, shape.begin() + 1);
  return SumWindowsOp::create(c.builder, c.loc, type.clone(shape), windows,
                              arrays.axes, arrays.sizes, arrays.strides,
                              arrays.dilations);
}

} // namespace accel::onnx
