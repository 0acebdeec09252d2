// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of pools: the maximum or the mean of every window.
#include "dialects/Accel/Interpreter/HostTensor.h"
#include "frontends/onnx/Builders/ChannelsLast.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Builders/PNorm.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Model/Metadata.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <utility>

using namespace mlir;

namespace accel::onnx {
namespace {

/// The windows of input 0 over its dimensions behind the first two.
FailureOr<SmallVector<WindowAxis>> getPoolAxes(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  if (type.getRank() < 3 || type.getRank() > 5 ||
      !isa<FloatType>(type.getElementType())) {
    c.error() << "expected floats of samples, channels and 1 to 3 further "
                 "dimensions, got "
              << type;
    return failure();
  }
  FailureOr<SmallVector<WindowAxis>> axes =
      getWindowAxes(c, *c.getInts("kernel_shape"));
  if (failed(axes)) {
    return failure();
  }
  for (WindowAxis &axis : *axes) {
    if (std::max(axis.before, axis.after) >= axis.reach()) {
      c.error() << "expected less padding than a window reaches over, "
                << axis.reach() << ", got " << axis.before << " and "
                << axis.after;
      return failure();
    }
    // With ceil_mode the only window may be far larger than the input, and its
    // stride, too: those that end EfficientNet are of the size of its channels.
    if (axis.count == 1 && axis.dilation == 1) {
      axis.size -= std::exchange(axis.beyond, 0);
      axis.stride = std::min(axis.stride, axis.padded() - axis.reach() + 1);
    }
  }
  return axes;
}

/// The dimensions of windows (n, p..., c, k...) that count their elements.
SmallVector<int64_t> getElementAxes(ArrayRef<WindowAxis> axes) {
  auto rank = static_cast<int64_t>(axes.size()) + 2;
  return llvm::to_vector(
      llvm::seq<int64_t>(rank, rank + static_cast<int64_t>(axes.size())));
}

/// How many elements of window `number` lie in [first, last).
int64_t countInside(const WindowAxis &axis, int64_t number, int64_t first,
                    int64_t last) {
  int64_t begin = number * axis.stride - axis.before;
  // The elements of the window in front of `place`.
  auto countBefore = [&](int64_t place) {
    int64_t count =
        llvm::divideCeil(std::max<int64_t>(0, place - begin), axis.dilation);
    return std::min(count, axis.size);
  };
  return countBefore(last) - countBefore(first);
}

/// What each window's sum is divided by: one number for each (p...).
HostTensor getDivisors(ArrayRef<WindowAxis> axes, bool includesPadding,
                       Type element) {
  SmallVector<int64_t> shape;
  std::vector<double> divisors{1.0};
  for (const WindowAxis &axis : axes) {
    int64_t first = includesPadding ? -axis.before : 0;
    int64_t last = axis.input + (includesPadding ? axis.after : 0);
    std::vector<double> next;
    for (double outer : divisors) {
      for (int64_t i = 0; i < axis.count; ++i) {
        // A window that sees padding alone has the mean 0.
        int64_t inside =
            std::max<int64_t>(1, countInside(axis, i, first, last));
        next.push_back(outer * static_cast<double>(inside));
      }
    }
    divisors = std::move(next);
    shape.push_back(axis.count);
  }
  return HostTensor(RankedTensorType::get(shape, element), divisors);
}

/// What PyTorch divides the sum of every window by, whatever its size, if the
/// call that the node was made of says so: exporters drop it without a word.
std::optional<int64_t> findDivisorOverride(const pb::NodeProto &node) {
  std::optional<FxCall> call = getFxCall(node);
  if (!call || !call->isAten({"avg_pool2d", "avg_pool3d"})) {
    return std::nullopt;
  }
  // avg_pool2d(input, kernel_size, stride, padding, ceil_mode,
  // count_include_pad, divisor_override=None)
  int64_t divisor = 0;
  bool isGiven =
      !call->getArgument(6, "divisor_override").getAsInteger(10, divisor);
  return isGiven && divisor != 0 ? std::optional(divisor) : std::nullopt;
}

/// The same for each window's sum, of type `sums`.
Value makeDivisors(NodeConversion &c, ArrayRef<WindowAxis> axes,
                   RankedTensorType sums) {
  if (std::optional<int64_t> divisor = findDivisorOverride(c.node)) {
    return c.makeConstant(sums, static_cast<double>(*divisor));
  }
  HostTensor divisors = getDivisors(axes, c.getInt("count_include_pad", 0) != 0,
                                    sums.getElementType());
  Value constant = ConstantOp::create(c.builder, c.loc, divisors.toAttribute());
  return BroadcastOp::create(
      c.builder, c.loc, sums, constant,
      llvm::to_vector(llvm::seq<int64_t>(1, sums.getRank() - 1)));
}

/// Of every window the place of its first largest element in the whole input
/// (n, c, ...), whose last dimension counts fastest, or with storage_order the
/// first one behind the channels.
Value findPlaces(NodeConversion &c, ArrayRef<WindowAxis> axes, Value windows,
                 Value largest) {
  RankedTensorType input = c.inputType(0);
  RankedTensorType type = input.clone(c.builder.getI64Type());
  Formula f(c, type);
  int64_t rank = type.getRank();
  SmallVector<int64_t> order{0, 1};
  for (int64_t dim = 2; dim < rank; ++dim) {
    order.push_back(c.getInt("storage_order", 0) ? rank + 1 - dim : dim);
  }
  Value places = f.number(0);
  for (int64_t dim : order) {
    places = f.add(f.scale(static_cast<double>(type.getDimSize(dim)), places),
                   f.index(dim));
  }
  double none = static_cast<double>(input.getNumElements());
  Value padded = padAround(c, toChannelsLast(c, places), axes, none);
  Value candidates = makeWindows(c, padded, axes);
  RankedTensorType wide = c.typeOf(candidates), whole = c.typeOf(windows);
  Value spread = BroadcastOp::create(
      c.builder, c.loc, whole, largest,
      llvm::to_vector(llvm::seq<int64_t>(0, c.typeOf(largest).getRank())));
  Formula w(c, whole), p(c, wide);
  Value chosen = p.select(w.equal(windows, spread), candidates, p.number(none));
  return ReduceMinOp::create(c.builder, c.loc,
                             wide.clone(wide.getShape().drop_back(axes.size())),
                             chosen, getElementAxes(axes));
}

} // namespace

LogicalResult convertMaxPool(NodeConversion &c) {
  FailureOr<SmallVector<WindowAxis>> axes = getPoolAxes(c);
  if (failed(axes)) {
    return failure();
  }
  Value input = padAround(c, toChannelsLast(c, c.input(0)), *axes,
                          -std::numeric_limits<double>::infinity());
  Value windows = makeWindows(c, input, *axes);
  RankedTensorType type = c.typeOf(windows);
  Value largest = ReduceMaxOp::create(
      c.builder, c.loc, type.clone(type.getShape().drop_back(axes->size())),
      windows, getElementAxes(*axes), /*first=*/true);
  c.setResult(0, toChannelsFirst(c, largest));
  if (c.isResultUsed(1)) {
    c.setResult(1, toChannelsFirst(c, findPlaces(c, *axes, windows, largest)));
  }
  return success();
}

/// The sum of each window of `input`, whose channels come last.
static Value sumWindows(NodeConversion &c, Value input,
                        ArrayRef<WindowAxis> axes) {
  Value windows = makeWindows(c, input, axes);
  RankedTensorType type = c.typeOf(windows);
  return ReduceSumOp::create(c.builder, c.loc,
                             type.clone(type.getShape().drop_back(axes.size())),
                             windows, getElementAxes(axes));
}

/// The p-norm of every window.
LogicalResult convertLpPool(NodeConversion &c) {
  FailureOr<int64_t> p = getNormOrder(c);
  FailureOr<SmallVector<WindowAxis>> axes = getPoolAxes(c);
  if (failed(p) || failed(axes)) {
    return failure();
  }
  Value input = padAround(c, toChannelsLast(c, c.input(0)), *axes, 0.0);
  Value sum = sumWindows(c, raiseSize(c, input, *p), *axes);
  c.setResult(0, toChannelsFirst(c, takeRoot(c, sum, *p)));
  return success();
}

LogicalResult convertAveragePool(NodeConversion &c) {
  FailureOr<SmallVector<WindowAxis>> axes = getPoolAxes(c);
  if (failed(axes)) {
    return failure();
  }
  Value input = padAround(c, toChannelsLast(c, c.input(0)), *axes, 0.0);
  Value sum = sumWindows(c, input, *axes);
  RankedTensorType reduced = c.typeOf(sum);
  Value mean = DivOp::create(c.builder, c.loc, reduced, sum,
                             makeDivisors(c, *axes, reduced));
  c.setResult(0, toChannelsFirst(c, mean));
  return success();
}

} // namespace accel::onnx
