// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of convolutions: products of weights with the windows of the
// input, and, transposed, sums of the windows that such a product makes.
#include "frontends/onnx/Builders/DepthwiseConvolution.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// What input and weights have in common with the result.
struct Channels {
  int64_t samples, groups;
  int64_t input, output; ///< of each group
};

/// Checks types and channels. `isTransposed`: the weights are those of
/// ConvTranspose, (input, output / groups, k...), else of Conv, (output, input
/// / groups, k...).
FailureOr<Channels> getChannels(NodeConversion &c, bool isTransposed) {
  RankedTensorType x = c.inputType(0), w = c.inputType(1);
  bool areFloats = isa<FloatType>(x.getElementType()) &&
                   x.getElementType() == w.getElementType();
  if (!areFloats || x.getRank() < 3 || x.getRank() > 5 ||
      w.getRank() != x.getRank()) {
    c.error() << "expected floats of samples, channels and 1 to 3 further "
                 "dimensions, and weights of as many, got "
              << x << " and " << w;
    return failure();
  }
  int64_t groups = c.getInt("group", 1);
  int64_t channels = x.getDimSize(1);
  int64_t whole = w.getDimSize(0), part = w.getDimSize(1);
  bool fits = groups > 0 && channels % groups == 0 && whole % groups == 0 &&
              (isTransposed ? whole == channels : part * groups == channels);
  if (!fits) {
    c.error() << "expected weights for " << channels << " channels in "
              << groups << " groups, got weights of " << w;
    return failure();
  }
  int64_t output = isTransposed ? part : whole / groups;
  if (c.hasInput(2) &&
      (c.inputType(2).getElementType() != x.getElementType() ||
       c.inputType(2).getShape() != ArrayRef<int64_t>{output * groups})) {
    c.error() << "expected a bias of " << output * groups
              << " numbers of the input's type, got " << c.inputType(2);
    return failure();
  }
  return Channels{x.getDimSize(0), groups, channels / groups, output};
}

/// `value` (n, s..., c) plus the bias of its channels, channels first.
Value finish(NodeConversion &c, Value value) {
  if (c.hasInput(2)) {
    RankedTensorType type = c.typeOf(value);
    Value bias = BroadcastOp::create(c.builder, c.loc, type, c.input(2),
                                     ArrayRef<int64_t>{type.getRank() - 1});
    value = AddOp::create(c.builder, c.loc, type, value, bias);
  }
  return toChannelsFirst(c, value);
}

//===----------------------------------------------------------------------===//
// Conv
//===----------------------------------------------------------------------===//

/// A convolution whose input is channels last and padded.
class Convolution {
public:
  Convolution(NodeConversion &c, const Channels &channels,
              ArrayRef<WindowAxis> axes, Value input)
      : c(c), channels(channels), axes(axes), input(input),
        counts(llvm::map_to_vector(
            axes, [](const WindowAxis &axis) { return axis.count; })),
        sizes(llvm::map_to_vector(
            axes, [](const WindowAxis &axis) { return axis.size; })) {}

  /// (n, p..., o)
  Value build() {
    Value result = channels.input == 1 && channels.groups > 1 ? multiplyEach()
                   : channels.groups == 1 ? multiplyAll()
                                          : multiplyGroups();
    SmallVector<int64_t> shape{channels.samples};
    llvm::append_range(shape, counts);
    shape.push_back(channels.groups * channels.output);
    return c.reshape(result, shape);
  }

private:
  int64_t rows() const { return channels.samples * llvm::product_of(counts); }
  int64_t depth() const { return channels.input * llvm::product_of(sizes); }

  /// Dimensions `from` to `to` - 1.
  static void append(SmallVector<int64_t> &order, int64_t from, int64_t to) {
    llvm::append_range(order, llvm::seq<int64_t>(from, to));
  }

  /// Rows of what the windows see: (n p..., k... c), all groups' channels.
  Value getRows() {
    if (llvm::all_of(axes, [](const WindowAxis &axis) {
          return axis.size == 1 && axis.stride == 1;
        })) {
      return c.reshape(input, {rows(), depth()});
    }
    int64_t rank = axes.size() + 2;
    SmallVector<int64_t> order;
    append(order, 0, rank - 1);
    append(order, rank, rank + axes.size());
    order.push_back(rank - 1);
    return c.reshape(c.transpose(makeWindows(c, input, axes), order),
                     {rows(), depth()});
  }

  Value multiplyAll() {
    SmallVector<int64_t> order{0};
    append(order, 2, axes.size() + 2);
    order.push_back(1);
    // A window of one element has no order.
    Value weights = llvm::product_of(sizes) == 1
                        ? c.input(1)
                        : storeWeights(c, c.input(1), order);
    return multiplyBy(getRows(), c.reshape(weights, {channels.output, depth()}),
                      {rows(), channels.output});
  }

  Value multiplyBy(Value lhs, Value weights, ArrayRef<int64_t> shape) {
    return MatmulOp::create(c.builder, c.loc, c.typeOf(lhs).clone(shape), lhs,
                            weights, /*transposeLhs=*/false,
                            /*transposeRhs=*/true);
  }

  /// One product for each group: (g, n p..., k... c) with (g, o, k... c).
  Value multiplyGroups() {
    int64_t rank = axes.size() + 2, groups = channels.groups;
    Value windows = makeWindows(c, input, axes);
    SmallVector<int64_t> split(c.typeOf(windows).getShape());
    split[rank - 1] = groups;
    split.insert(split.begin() + rank, channels.input);
    SmallVector<int64_t> order{rank - 1};
    append(order, 0, rank - 1);
    append(order, rank + 1, split.size());
    order.push_back(rank);
    Value lhs = c.reshape(c.transpose(c.reshape(windows, split), order),
                          {groups, rows(), depth()});
    SmallVector<int64_t> grouped{groups, channels.output, channels.input};
    llvm::append_range(grouped, sizes);
    SmallVector<int64_t> byElement{0, 1};
    append(byElement, 3, grouped.size());
    byElement.push_back(2);
    Value weights =
        c.reshape(storeWeights(c, c.reshape(c.input(1), grouped), byElement),
                  {groups, channels.output, depth()});
    Value product = multiplyBy(lhs, weights, {groups, rows(), channels.output});
    return c.transpose(product, {1, 0, 2});
  }

  /// One channel for each group, which may make several.
  Value multiplyEach() {
    Value repeated = input;
    int64_t rank = axes.size() + 2;
    if (channels.output > 1) {
      SmallVector<int64_t> shape(c.typeOf(input).getShape()), order;
      append(order, 0, rank);
      shape.push_back(channels.output);
      repeated = BroadcastOp::create(
          c.builder, c.loc, c.typeOf(input).clone(shape), input, order);
      shape.pop_back();
      shape.back() *= channels.output;
      repeated = c.reshape(repeated, shape);
    }
    SmallVector<int64_t> flat{channels.groups * channels.output};
    llvm::append_range(flat, sizes);
    return convolveEach(c, repeated, c.reshape(c.input(1), flat), axes);
  }

  NodeConversion &c;
  Channels channels;
  ArrayRef<WindowAxis> axes;
  Value input;
  SmallVector<int64_t> counts, sizes;
};

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// The windows (n, s..., o, k...) that the elements of the input make.
Value makeTransposedWindows(NodeConversion &c, const Channels &channels) {
  int64_t groups = channels.groups;
  ArrayRef<int64_t> sizes = c.inputType(1).getShape().drop_front(2);
  Value input = toChannelsLast(c, c.input(0));
  SmallVector<int64_t> places(c.typeOf(input).getShape().drop_back());
  int64_t rows = llvm::product_of(places);
  Value lhs = c.reshape(input, {rows, groups, channels.input});
  int64_t width = channels.output * llvm::product_of(sizes);
  Value weights = c.reshape(c.input(1), {groups, channels.input, width});
  if (groups == 1) {
    lhs = c.reshape(lhs, {rows, channels.input});
    weights = c.reshape(weights, {channels.input, width});
  } else {
    lhs = c.transpose(lhs, {1, 0, 2});
  }
  RankedTensorType type = c.typeOf(lhs);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = width;
  Value product =
      MatmulOp::create(c.builder, c.loc, type.clone(shape), lhs, weights,
                       /*transposeLhs=*/false, /*transposeRhs=*/false);
  if (groups > 1) {
    product = c.transpose(product, {1, 0, 2});
  }
  SmallVector<int64_t> split(places);
  split.push_back(groups * channels.output);
  llvm::append_range(split, sizes);
  return c.reshape(product, split);
}

} // namespace

LogicalResult convertConv(NodeConversion &c) {
  FailureOr<Channels> channels = getChannels(c, /*isTransposed=*/false);
  if (failed(channels)) {
    return failure();
  }
  FailureOr<SmallVector<WindowAxis>> axes =
      getWindowAxes(c, c.inputType(1).getShape().drop_front(2));
  if (failed(axes)) {
    return failure();
  }
  Value input = padAround(c, toChannelsLast(c, c.input(0)), *axes, 0.0);
  c.setResult(0, finish(c, Convolution(c, *channels, *axes, input).build()));
  return success();
}

LogicalResult convertConvTranspose(NodeConversion &c) {
  FailureOr<Channels> channels = getChannels(c, /*isTransposed=*/true);
  if (failed(channels)) {
    return failure();
  }
  FailureOr<SmallVector<WindowAxis>> axes =
      getTransposedAxes(c, c.inputType(1).getShape().drop_front(2));
  if (failed(axes)) {
    return failure();
  }
  SmallVector<int64_t> whole, offsets{0}, shape{channels->samples};
  for (const WindowAxis &axis : *axes) {
    whole.push_back(axis.stride * (axis.input - 1) + axis.reach() +
                    axis.beyond);
    offsets.push_back(axis.before);
    shape.push_back(axis.count);
  }
  offsets.push_back(0);
  shape.push_back(channels->groups * channels->output);
  Value sum = sumWindows(c, makeTransposedWindows(c, *channels), *axes, whole);
  SmallVector<int64_t> ones(shape.size(), 1);
  c.setResult(0, finish(c, c.slice(sum, offsets, shape, ones)));
  return success();
}

} // namespace accel::onnx
