// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and checks the attributes of convolutions and pools.
#include "frontends/onnx/Builders/WindowAttributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Sizes beyond this are refused, so that no sum or product of a few overflows.
constexpr int64_t kLargest = int64_t(1) << 31;

/// Attribute `name`, `perAxis` numbers of at least `least` for each axis, or as
/// many times `otherwise`.
FailureOr<SmallVector<int64_t>> getNumbers(const NodeConversion &c,
                                           StringRef name, size_t axes,
                                           int64_t otherwise, int64_t least) {
  SmallVector<int64_t> values =
      c.getInts(name).value_or(SmallVector<int64_t>(axes, otherwise));
  if (values.size() != axes) {
    c.error() << "expected " << axes << " numbers in '" << name << "', got "
              << values.size();
    return failure();
  }
  for (int64_t value : values) {
    if (value < least || value > kLargest) {
      c.error() << "expected numbers of " << least << " to " << kLargest
                << " in '" << name << "', got " << value;
      return failure();
    }
  }
  return values;
}

/// What all attributes but the padding say.
FailureOr<SmallVector<WindowAxis>> getSteps(const NodeConversion &c,
                                            ArrayRef<int64_t> input,
                                            ArrayRef<int64_t> sizes) {
  auto strides = getNumbers(c, "strides", input.size(), 1, 1);
  auto dilations = getNumbers(c, "dilations", input.size(), 1, 1);
  auto kernel = getNumbers(c, "kernel_shape", input.size(), 1, 1);
  if (failed(strides) || failed(dilations) || failed(kernel)) {
    return failure();
  }
  if (sizes.size() != input.size() ||
      (c.hasAttribute("kernel_shape") && ArrayRef<int64_t>(*kernel) != sizes)) {
    c.error() << "expected windows of " << input.size()
              << " dimensions whose sizes are those of the weights, got "
              << c.inputType(0) << " and windows of " << sizes.size();
    return failure();
  }
  SmallVector<WindowAxis> axes;
  for (auto [size, window, stride, dilation] :
       llvm::zip_equal(input, sizes, *strides, *dilations)) {
    if (window < 1 || window > kLargest ||
        (window - 1) > (kLargest - 1) / dilation) {
      c.error() << "expected windows that reach over 1 to " << kLargest
                << " elements, got " << window << " elements, " << dilation
                << " apart";
      return failure();
    }
    axes.push_back({size, window, stride, dilation});
  }
  return axes;
}

/// Sets the padding of one axis so that there are as many windows as strides.
void padToSame(WindowAxis &axis, bool isUpper) {
  int64_t count = llvm::divideCeil(axis.input, axis.stride);
  int64_t total = std::max<int64_t>(0, (count - 1) * axis.stride +
                                           axis.reach() - axis.input);
  axis.before = isUpper ? total / 2 : total - total / 2;
  axis.after = total - axis.before;
}

LogicalResult setPadding(const NodeConversion &c,
                         MutableArrayRef<WindowAxis> axes) {
  StringRef mode = c.getString("auto_pad", "NOTSET");
  if (mode == "VALID") {
    return success();
  }
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    for (WindowAxis &axis : axes) {
      padToSame(axis, mode == "SAME_UPPER");
    }
    return success();
  }
  if (mode != "NOTSET") {
    return c.error() << "expected 'auto_pad' to be NOTSET, SAME_UPPER, "
                        "SAME_LOWER or VALID, got '"
                     << mode << "'";
  }
  auto pads = getNumbers(c, "pads", 2 * axes.size(), 0, 0);
  if (failed(pads)) {
    return failure();
  }
  for (auto [i, axis] : llvm::enumerate(axes)) {
    axis.before = (*pads)[i];
    axis.after = (*pads)[axes.size() + i];
  }
  return success();
}

} // namespace

FailureOr<SmallVector<WindowAxis>> getWindowAxes(const NodeConversion &c,
                                                 ArrayRef<int64_t> input,
                                                 ArrayRef<int64_t> sizes) {
  FailureOr<SmallVector<WindowAxis>> axes = getSteps(c, input, sizes);
  if (failed(axes) || failed(setPadding(c, *axes))) {
    return failure();
  }
  bool roundsUp = c.getInt("ceil_mode", 0) != 0;
  for (WindowAxis &axis : *axes) {
    int64_t room = axis.padded() - axis.reach();
    axis.count = llvm::divideFloorSigned(room, axis.stride) + 1;
    // One more window may reach beyond the end if it begins in the input or
    // the padding in front of it; it may be the first one.
    if (roundsUp && room % axis.stride != 0 && axis.count >= 0 &&
        axis.count * axis.stride < axis.before + axis.input) {
      axis.beyond = axis.count * axis.stride - room;
      ++axis.count;
    }
    if (axis.count < 1) {
      c.error() << "expected windows that fit into the padded input of "
                << axis.padded() << " elements, got one that reaches over "
                << axis.reach();
      return failure();
    }
  }
  return axes;
}

FailureOr<SmallVector<WindowAxis>> getWindowAxes(const NodeConversion &c,
                                                 ArrayRef<int64_t> sizes) {
  return getWindowAxes(c, c.inputType(0).getShape().drop_front(2), sizes);
}

FailureOr<SmallVector<WindowAxis>> getTransposedAxes(const NodeConversion &c,
                                                     ArrayRef<int64_t> sizes) {
  FailureOr<SmallVector<WindowAxis>> axes =
      getSteps(c, c.inputType(0).getShape().drop_front(2), sizes);
  if (failed(axes)) {
    return failure();
  }
  auto more = getNumbers(c, "output_padding", axes->size(), 0, 0);
  auto wanted = getNumbers(c, "output_shape", axes->size(), 0, 0);
  StringRef mode = c.getString("auto_pad", "NOTSET");
  bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  bool isGiven = c.hasAttribute("output_shape");
  if (failed(more) || failed(wanted) ||
      (!isSame && !isGiven && failed(setPadding(c, *axes)))) {
    return failure();
  }
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    int64_t covered = axis.stride * (axis.input - 1) + axis.reach();
    int64_t whole = covered + (*more)[i];
    if (isGiven || isSame) {
      int64_t size = isGiven ? (*wanted)[i] : axis.input * axis.stride;
      int64_t total = std::max<int64_t>(0, whole - size);
      axis.before = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      axis.after = total - axis.before;
      whole = std::max(whole, size);
    }
    axis.count = whole - axis.before - axis.after;
    axis.beyond = whole - covered;
    if (axis.count < 1) {
      c.error() << "expected a result with elements, got " << whole
                << " less a padding of " << axis.before + axis.after;
      return failure();
    }
  }
  return axes;
}

} // namespace accel::onnx
