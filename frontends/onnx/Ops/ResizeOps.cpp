// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of Resize, one dimension after the other. An element of the result
// is a sum of a few elements times known weights, its taps; which, is known
// when the model is read, and gradients go back the same way.
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Builders/GatherAlong.h"
#include "frontends/onnx/Builders/ResizeTaps.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;

namespace accel::onnx {
namespace {

class Resize {
public:
  explicit Resize(NodeConversion &c)
      : c(c),
        rule{c.getString("mode", "nearest"),
             c.getString("coordinate_transformation_mode", "half_pixel"),
             c.getString("nearest_mode", "round_prefer_floor"),
             c.getFloat("cubic_coeff_a", -0.75),
             c.getInt("exclude_outside", 0) != 0, c.getInt("antialias", 0) != 0,
             /*hasScales=*/!c.hasInput(3),
             // PyTorch means what its own interpolate computes.
             c.state.pytorch.has_value()} {}

  LogicalResult run();

private:
  LogicalResult checkModes() const;
  FailureOr<SmallVector<Stretch>> getStretches() const;
  FailureOr<SmallVector<int64_t>> getAxes() const;
  LogicalResult crop(MutableArrayRef<Stretch> stretches) const;
  void keepAspectRatio(MutableArrayRef<Stretch> stretches) const;
  Value apply(Value value, const Stretch &stretch) const;
  Value repeat(Value value, const Stretch &stretch) const;

  Value extrapolate(Value value, const Stretch &stretch) const;

  NodeConversion &c;
  ResizeRule rule;
};

LogicalResult Resize::checkModes() const {
  auto check = [&](StringRef what, StringRef got,
                   ArrayRef<StringRef> known) -> LogicalResult {
    if (llvm::is_contained(known, got)) {
      return success();
    }
    return c.error() << "expected " << what << " among '"
                     << llvm::join(known, "', '") << "', got '" << got
                     << "'; use torch.nn.functional.interpolate";
  };
  if (failed(check("a mode", rule.mode, {"nearest", "linear", "cubic"})) ||
      failed(check("a coordinate_transformation_mode", rule.coordinates,
                   {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                    "align_corners", "asymmetric", "tf_crop_and_resize"})) ||
      failed(check(
          "a nearest_mode", rule.rounding,
          {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})) ||
      failed(check("a keep_aspect_ratio_policy",
                   c.getString("keep_aspect_ratio_policy", "stretch"),
                   {"stretch", "not_larger", "not_smaller"}))) {
    return failure();
  }
  return isa<FloatType>(c.inputType(0).getElementType()) ||
                 rule.mode == "nearest"
             ? success()
             : LogicalResult(c.error()
                             << "expected floats, got " << c.inputType(0));
}

FailureOr<SmallVector<int64_t>> Resize::getAxes() const {
  int64_t rank = c.inputType(0).getRank();
  if (auto axes = c.getInts("axes")) {
    return c.normalizeAxes(*axes, rank);
  }
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

FailureOr<SmallVector<Stretch>> Resize::getStretches() const {
  FailureOr<SmallVector<int64_t>> axes = getAxes();
  if (failed(axes)) {
    return failure();
  }
  // Before operator set 13 scales are there, and empty, if sizes are.
  bool hasSizes = c.hasInput(3);
  bool hasScales =
      c.hasInput(2) && (!hasSizes || c.inputType(2).getNumElements() > 0);
  FailureOr<SmallVector<int64_t>> sizes = SmallVector<int64_t>();
  HostTensor scales;
  if (hasSizes) {
    sizes = c.getConstantInts(3);
  } else if (hasScales) {
    scales = c.state.known.evaluate(c.input(2));
  }
  int64_t given = hasSizes ? (failed(sizes) ? -1 : sizes->size())
                  : scales ? scales.getNumElements()
                           : -1;
  if (failed(sizes)) {
    return failure();
  }
  if (hasSizes == hasScales || given != static_cast<int64_t>(axes->size())) {
    return c.error(codes::ComputedShape)
           << "expected either scales or sizes for " << axes->size()
           << " dimensions that do not depend on the model's inputs, got "
              "others";
  }
  SmallVector<Stretch> stretches;
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    int64_t from = c.inputType(0).getDimSize(axis);
    Stretch stretch{axis, from, 0, 0.0};
    if (hasSizes) {
      stretch.to = (*sizes)[i];
      stretch.scale = static_cast<double>(stretch.to) / from;
    } else {
      stretch.scale = scales.getAsDouble(i);
      stretch.to = static_cast<int64_t>(std::floor(from * stretch.scale));
    }
    stretches.push_back(stretch);
  }
  if (hasSizes) {
    keepAspectRatio(stretches);
  }
  for (const Stretch &stretch : stretches) {
    if (stretch.to < 1 || stretch.to > (int64_t(1) << 30)) {
      return c.error() << "expected sizes of at least 1, got " << stretch.to
                       << " in dimension " << stretch.axis;
    }
  }
  if (failed(crop(stretches))) {
    return failure();
  }
  return stretches;
}

/// All dimensions get the smallest scale of all, or the largest.
void Resize::keepAspectRatio(MutableArrayRef<Stretch> stretches) const {
  StringRef policy = c.getString("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || stretches.empty()) {
    return;
  }
  double scale = stretches.front().scale;
  for (const Stretch &stretch : stretches) {
    scale = policy == "not_larger" ? std::min(scale, stretch.scale)
                                   : std::max(scale, stretch.scale);
  }
  for (Stretch &stretch : stretches) {
    stretch.scale = scale;
    stretch.to = static_cast<int64_t>(
        std::floor(scale * static_cast<double>(stretch.from) + 0.5));
  }
}

/// Which part of the operand tf_crop_and_resize takes: all beginnings, then all
/// ends.
LogicalResult Resize::crop(MutableArrayRef<Stretch> stretches) const {
  if (rule.coordinates != "tf_crop_and_resize") {
    return success();
  }
  HostTensor region =
      c.hasInput(1) ? c.state.known.evaluate(c.input(1)) : HostTensor();
  size_t count = stretches.size();
  if (!region || region.getNumElements() != static_cast<int64_t>(2 * count)) {
    return c.error(codes::ComputedShape)
           << "expected a constant roi of " << 2 * count
           << " numbers for tf_crop_and_resize, got "
           << (region ? "others" : "none");
  }
  for (auto [i, stretch] : llvm::enumerate(stretches)) {
    stretch.begin = region.getAsDouble(i);
    stretch.end = region.getAsDouble(count + i);
  }
  return success();
}

/// Each element as often as it stands there, if that is the same for all.
Value Resize::repeat(Value value, const Stretch &stretch) const {
  RankedTensorType type = c.typeOf(value);
  SmallVector<int64_t> wide(type.getShape()), together(type.getShape()),
      dimensions;
  wide.insert(wide.begin() + stretch.axis + 1, stretch.to / stretch.from);
  together[stretch.axis] = stretch.to;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    dimensions.push_back(dim > stretch.axis ? dim + 1 : dim);
  }
  Value repeated = BroadcastOp::create(c.builder, c.loc, type.clone(wide),
                                       value, dimensions);
  return c.reshape(repeated, together);
}

Value Resize::apply(Value value, const Stretch &stretch) const {
  SmallVector<Tap> taps = makeTaps(rule, stretch);
  int64_t times = stretch.to / stretch.from;
  bool isRepeated =
      taps.size() == 1 && times * stretch.from == stretch.to &&
      llvm::all_of(llvm::enumerate(taps[0].elements), [&](const auto &each) {
        return each.value() == static_cast<int64_t>(each.index()) / times;
      });
  if (isRepeated) {
    return repeat(value, stretch);
  }
  Value sum;
  for (const Tap &tap : taps) {
    Value part =
        gatherAlong(c, value, stretch.axis, c.makeIntegers(tap.elements));
    if (taps.size() > 1) {
      RankedTensorType type = c.typeOf(part);
      auto row = RankedTensorType::get({stretch.to}, c.builder.getF32Type());
      Value weights = ConstantOp::create(
          c.builder, c.loc,
          DenseElementsAttr::get(row, ArrayRef<float>(tap.weights)));
      weights = c.cast(weights, type.getElementType());
      Formula f(c, type);
      part = f.mul(part, BroadcastOp::create(c.builder, c.loc, type, weights,
                                             ArrayRef<int64_t>{stretch.axis}));
      part = sum ? f.add(sum, part) : part;
    }
    sum = part;
  }
  return sum;
}

/// What lies outside the operand is a number of the node.
Value Resize::extrapolate(Value value, const Stretch &stretch) const {
  std::vector<bool> outside = findOutside(rule, stretch);
  if (!llvm::is_contained(outside, true)) {
    return value;
  }
  SmallVector<bool> flags(outside.begin(), outside.end());
  auto row = RankedTensorType::get({stretch.to}, c.builder.getI1Type());
  Value mask = ConstantOp::create(
      c.builder, c.loc, DenseElementsAttr::get(row, ArrayRef<bool>(flags)));
  RankedTensorType type = c.typeOf(value);
  Formula f(c, type);
  return f.select(BroadcastOp::create(c.builder, c.loc,
                                      type.clone(c.builder.getI1Type()), mask,
                                      ArrayRef<int64_t>{stretch.axis}),
                  f.number(c.getFloat("extrapolation_value", 0.0)), value);
}

LogicalResult Resize::run() {
  if (failed(checkModes())) {
    return failure();
  }
  FailureOr<SmallVector<Stretch>> stretches = getStretches();
  if (failed(stretches)) {
    return failure();
  }
  Value value = c.input(0);
  for (const Stretch &stretch : *stretches) {
    bool isWhole = stretch.begin == 0.0 && stretch.end == 1.0;
    if (stretch.from != stretch.to || stretch.scale != 1.0 || !isWhole) {
      value = extrapolate(apply(value, stretch), stretch);
    }
  }
  c.setResult(0, value);
  return success();
}

} // namespace

LogicalResult convertResize(NodeConversion &c) { return Resize(c).run(); }

} // namespace accel::onnx
