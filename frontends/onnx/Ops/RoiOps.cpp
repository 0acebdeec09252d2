// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of RoiAlign, which reads regions of images as small images of one
// size.
//
// Places in a region are a grid, and what is read at one is linear along either
// dimension. So a region is a product with weights of columns and one with
// weights of rows, in which the mean over the places of an element is taken
// already.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Builders/ChosenRows.h"
#include "frontends/onnx/Builders/ExactProduct.h"
#include "frontends/onnx/Builders/GridAxis.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/ErrorCodes.h"

#include <cmath>

using namespace mlir;

namespace accel::onnx {
namespace {

/// One dimension of the images and of what becomes of regions.
struct RoiAxis {
  int64_t column; ///< of the region's begin; that of its end is two further
  int64_t pixels, bins;
};

/// How many places a bin has along a dimension: `most`, or fewer in regions
/// that are small.
struct RoiSamples {
  int64_t most;
  Value count; ///< (regions)
};

/// Places along a dimension, and what each counts; (regions, bins x perBin).
struct RoiPlaces {
  Value place, share;
  int64_t perBin;
};

class RoiAlign {
public:
  explicit RoiAlign(NodeConversion &c)
      : c(c), image(c.inputType(0)),
        isHalfPixel(c.getString("coordinate_transformation_mode",
                                c.opset() < 16 ? "output_half_pixel"
                                               : "half_pixel") == "half_pixel"),
        isMax(c.getString("mode", "avg") == "max") {}

  LogicalResult run();

private:
  LogicalResult check() const;
  Value getRegions() const;
  std::optional<int64_t> countPerImage() const;
  FailureOr<RoiSamples> getSamples(Value binSize, const RoiAxis &axis) const;
  std::pair<Value, Value> getBins(const RoiAxis &axis, Value regions) const;
  FailureOr<RoiPlaces> getPlaces(const RoiAxis &axis, Value regions) const;
  FailureOr<Value> getWeights(const RoiAxis &axis, Value regions) const;
  FailureOr<Value> read(Value columns, Value rows) const;
  Value takeLargest(Value read, ArrayRef<RoiAxis> axes) const;

  Value spread(Value value, RankedTensorType type) const {
    return BroadcastOp::create(c.builder, c.loc, type, value,
                               axisRange(0, c.typeOf(value).getRank()));
  }
  Value multiply(Value lhs, Value rhs) const {
    SmallVector<int64_t> shape(c.typeOf(lhs).getShape());
    shape.back() = c.typeOf(rhs).getDimSize(1);
    return makeExactProduct(c, shape, lhs, rhs, /*transposeRhs=*/true);
  }
  int64_t regionCount() const { return c.inputType(1).getDimSize(0); }

  NodeConversion &c;
  RankedTensorType image;
  bool isHalfPixel, isMax;
};

LogicalResult RoiAlign::check() const {
  StringRef mode = c.getString("mode", "avg");
  if (mode != "avg" && mode != "max") {
    return c.error() << "expected mode 'avg' or 'max', got '" << mode << "'";
  }
  StringRef shift = c.getString("coordinate_transformation_mode", "half_pixel");
  if (shift != "half_pixel" && shift != "output_half_pixel") {
    return c.error() << "expected coordinate_transformation_mode 'half_pixel' "
                        "or 'output_half_pixel', got '"
                     << shift << "'";
  }
  RankedTensorType regions = c.inputType(1), indices = c.inputType(2);
  bool fits = image.getRank() == 4 && image.getNumElements() > 0 &&
              regions.getRank() == 2 && regions.getDimSize(0) > 0 &&
              regions.getDimSize(1) == 4 && indices.getRank() == 1 &&
              indices.getDimSize(0) == regions.getDimSize(0) &&
              isa<FloatType>(image.getElementType()) &&
              isa<FloatType>(regions.getElementType()) &&
              NodeConversion::isIndexTensor(indices);
  if (!fits) {
    return c.error() << "expected images (n, c, h, w), regions (r, 4) of "
                        "floats and r indices of images, got "
                     << image << ", " << regions << " and " << indices;
  }
  constexpr int64_t kMost = 1 << 12;
  for (StringRef name : {"output_height", "output_width", "sampling_ratio"}) {
    int64_t least = name == "sampling_ratio" ? 0 : 1;
    int64_t value = c.getInt(name, least);
    if (value < least || value > kMost) {
      return c.error() << "expected " << name << " from " << least << " to "
                       << kMost << ", got " << value;
    }
  }
  return success();
}

/// In pixels, (regions, 4), as floats of 32 bits or more.
Value RoiAlign::getRegions() const {
  Value regions = c.input(1);
  Type element = image.getElementType();
  if (element.getIntOrFloatBitWidth() < 32) {
    element = c.builder.getF32Type();
  }
  regions = c.cast(regions, element);
  RankedTensorType type = c.typeOf(regions);
  // Gradients stop here, as in PyTorch: detectors detach the regions besides,
  // which a file does not show.
  if (!c.state.infers) {
    Type bits = c.builder.getIntegerType(element.getIntOrFloatBitWidth());
    Value words =
        BitcastOp::create(c.builder, c.loc, type.clone(bits), regions);
    regions = BitcastOp::create(c.builder, c.loc, type, words);
  }
  Formula f(c, type);
  Value scaled = f.scale(c.getFloat("spatial_scale", 1.0), regions);
  return isHalfPixel ? f.sub(scaled, f.number(0.5)) : scaled;
}

/// How many regions each image has, if it is known that all have as many, and
/// that they stand in the order of the images.
std::optional<int64_t> RoiAlign::countPerImage() const {
  std::optional<SmallVector<int64_t>> indices =
      c.state.known.evaluateIntegers(c.input(2));
  int64_t images = image.getDimSize(0), count = regionCount() / images;
  if (!indices || count * images != regionCount()) {
    return std::nullopt;
  }
  bool isOrdered =
      llvm::all_of(llvm::enumerate(*indices), [&](const auto &each) {
        return each.value() == static_cast<int64_t>(each.index()) / count;
      });
  return isOrdered ? std::optional(count) : std::nullopt;
}

FailureOr<RoiSamples> RoiAlign::getSamples(Value binSize,
                                           const RoiAxis &axis) const {
  RankedTensorType type = c.typeOf(binSize);
  int64_t ratio = c.getInt("sampling_ratio", 0);
  if (ratio > 0) {
    return RoiSamples{ratio, c.makeConstant(type, double(ratio))};
  }
  HostTensor sizes = c.state.known.evaluate(binSize);
  if (!sizes) {
    return c.error(codes::ComputedShape)
           << "expected a sampling_ratio of 1 or more, or regions that do not "
              "depend on the model's inputs: with 0, how many places are read "
              "depends on the size of each region; export with "
              "sampling_ratio=2";
  }
  RoiSamples samples{1, Value()};
  std::vector<double> counts;
  for (double size : sizes.floats()) {
    double count = std::max(0.0, std::ceil(size));
    if (!(count <= 4.0 * double(axis.pixels) + 4)) {
      return c.error() << "expected regions that are not much larger than the "
                          "images, got one of "
                       << size * double(axis.bins) << " pixels";
    }
    samples.most = std::max(samples.most, static_cast<int64_t>(count));
    counts.push_back(count);
  }
  samples.count = ConstantOp::create(
      c.builder, c.loc, HostTensor(type, std::move(counts)).toAttribute());
  return samples;
}

/// Where regions begin, and how long their bins are; (regions).
std::pair<Value, Value> RoiAlign::getBins(const RoiAxis &axis,
                                          Value regions) const {
  int64_t count = regionCount();
  auto getEdge = [&](int64_t column) {
    return c.reshape(c.slice(regions, {0, column}, {count, 1}, {1, 1}),
                     {count});
  };
  Value begin = getEdge(axis.column), end = getEdge(axis.column + 2);
  Formula f(c, c.typeOf(begin));
  Value size = f.sub(end, begin);
  if (!isHalfPixel) {
    Value least = f.number(1);
    size = f.select(f.less(size, least), least, size);
  }
  return {begin, f.div(size, f.number(double(axis.bins)))};
}

FailureOr<RoiPlaces> RoiAlign::getPlaces(const RoiAxis &axis,
                                         Value regions) const {
  auto [begin, binSize] = getBins(axis, regions);
  FailureOr<RoiSamples> samples = getSamples(binSize, axis);
  if (failed(samples)) {
    return failure();
  }
  RankedTensorType type =
      c.typeOf(begin).clone({regionCount(), axis.bins, samples->most});
  Formula f(c, type);
  Value sizes = spread(binSize, type), counts = spread(samples->count, type),
        one = f.number(1), zero = f.number(0), number = f.index(2);
  if (isMax) {
    // Where there are fewer, the last one counts again.
    Value last = f.sub(counts, one);
    number = f.min(number, f.select(f.less(last, zero), zero, last));
  }
  // Number i of n in a bin lies (i + 0.5) / n behind its begin.
  Value divisor = f.select(f.less(counts, one), one, counts);
  Value inBin = f.div(f.mul(f.add(number, f.number(0.5)), sizes), divisor);
  Value binBegin = f.add(spread(begin, type), f.mul(f.index(1), sizes));
  Value place = f.add(binBegin, inBin);
  // Beyond the image and its border of one pixel there is nothing.
  Value isNear = AndOp::create(
      c.builder, c.loc, f.compare(ComparePredicate::GE, place, f.number(-1)),
      f.compare(ComparePredicate::LE, place, f.number(double(axis.pixels))));
  Value isRead =
      AndOp::create(c.builder, c.loc, isNear, f.less(number, counts));
  Value share = f.select(isRead, isMax ? one : f.div(one, divisor), zero);
  SmallVector<int64_t> flat{regionCount(), axis.bins * samples->most};
  return RoiPlaces{c.reshape(place, flat), c.reshape(share, flat),
                   samples->most};
}

/// What each pixel weighs along `axis`: (regions, bins, pixels), or, for a
/// maximum, of both neighbours of each place, (regions, bins x places x 2,
/// pixels).
FailureOr<Value> RoiAlign::getWeights(const RoiAxis &axis,
                                      Value regions) const {
  FailureOr<RoiPlaces> places = getPlaces(axis, regions);
  if (failed(places)) {
    return failure();
  }
  RankedTensorType type = c.typeOf(places->place);
  Formula f(c, type);
  GridAxis grid(c, type, axis.pixels, /*alignsCorners=*/true,
                GridPadding::Border);
  SmallVector<PixelTap> taps = grid.getTaps("linear", places->place);
  for (PixelTap &tap : taps) {
    tap.weight = f.mul(tap.weight, places->share);
  }
  SmallVector<int64_t> shape{regionCount(), axis.bins, places->perBin,
                             axis.pixels};
  if (!isMax) {
    return ReduceSumOp::create(
               c.builder, c.loc,
               type.clone({regionCount(), axis.bins, axis.pixels}),
               c.reshape(grid.getWeights(taps), shape), ArrayRef<int64_t>{2})
        .getResult();
  }
  auto neighbours = llvm::map_to_vector(taps, [&](const PixelTap &tap) {
    return c.reshape(grid.getWeights(tap), shape);
  });
  return c.reshape(
      c.concat(neighbours, 2),
      {regionCount(), axis.bins * places->perBin * 2, axis.pixels});
}

/// (regions, channels, rows, columns), of weights (regions, rows, h) and
/// (regions, columns, w).
FailureOr<Value> RoiAlign::read(Value columns, Value rows) const {
  ArrayRef<int64_t> shape = image.getShape();
  int64_t images = shape[0], channels = shape[1], height = shape[2],
          width = shape[3], perImage = 1, count = regionCount();
  int64_t columnCount = c.typeOf(columns).getDimSize(1),
          rowCount = c.typeOf(rows).getDimSize(1);
  Value source = c.input(0);
  if (std::optional<int64_t> known = countPerImage()) {
    perImage = *known;
  } else {
    FailureOr<Value> chosen = gatherRows(c, source, c.input(2), 0);
    if (failed(chosen)) {
      return failure();
    }
    source = *chosen;
    images = count;
  }
  Value across = multiply(c.reshape(source, {images, channels * height, width}),
                          c.reshape(c.cast(columns, image.getElementType()),
                                    {images, perImage * columnCount, width}));
  Value turned = c.transpose(
      c.reshape(across, {images, channels, height, perImage, columnCount}),
      {0, 3, 1, 4, 2});
  Value read =
      multiply(c.reshape(turned, {count, channels * columnCount, height}),
               c.cast(rows, image.getElementType()));
  return c.transpose(c.reshape(read, {count, channels, columnCount, rowCount}),
                     {0, 1, 3, 2});
}

/// The largest of what was read at the neighbours of a bin's places, each times
/// its weight.
Value RoiAlign::takeLargest(Value read, ArrayRef<RoiAxis> axes) const {
  ArrayRef<int64_t> shape = c.typeOf(read).getShape();
  SmallVector<int64_t> bins{shape[0], shape[1], axes[0].bins, axes[1].bins};
  Value split = c.reshape(read, {shape[0], shape[1], axes[0].bins,
                                 shape[2] / axes[0].bins, axes[1].bins,
                                 shape[3] / axes[1].bins});
  return ReduceMaxOp::create(c.builder, c.loc, image.clone(bins), split,
                             ArrayRef<int64_t>{3, 5});
}

LogicalResult RoiAlign::run() {
  if (failed(check())) {
    return failure();
  }
  RoiAxis vertical{1, image.getDimSize(2), c.getInt("output_height", 1)},
      horizontal{0, image.getDimSize(3), c.getInt("output_width", 1)};
  Value regions = getRegions();
  FailureOr<Value> rows = getWeights(vertical, regions),
                   columns = getWeights(horizontal, regions);
  if (failed(rows) || failed(columns)) {
    return failure();
  }
  FailureOr<Value> result = read(*columns, *rows);
  if (failed(result)) {
    return failure();
  }
  c.setResult(0,
              isMax ? takeLargest(*result, {vertical, horizontal}) : *result);
  return success();
}

} // namespace

LogicalResult convertRoiAlign(NodeConversion &c) { return RoiAlign(c).run(); }

} // namespace accel::onnx
