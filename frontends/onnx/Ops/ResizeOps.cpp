// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of Resize, one dimension after the other. An element of the result
// is a sum of a few elements times known weights, its taps; which, is known
// when the model is read, and gradients go back the same way.
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Builders/GatherAlong.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;

namespace accel::onnx {
namespace {

/// Along one dimension. `scale` is what the node says, or the quotient of
/// sizes.
struct Stretch {
  int64_t axis, from, to;
  double scale;
};

/// For each element of the result one element of the operand and a weight.
struct Tap {
  SmallVector<int64_t> elements;
  std::vector<float> weights;
};

class Resize {
public:
  explicit Resize(NodeConversion &c)
      : c(c), mode(c.getString("mode", "nearest")),
        coordinates(
            c.getString("coordinate_transformation_mode", "half_pixel")),
        rounding(c.getString("nearest_mode", "round_prefer_floor")),
        cubic(c.getFloat("cubic_coeff_a", -0.75)) {}

  LogicalResult run();

private:
  LogicalResult checkModes() const;
  FailureOr<SmallVector<Stretch>> getStretches() const;
  FailureOr<SmallVector<int64_t>> getAxes() const;
  double getPlace(int64_t i, const Stretch &stretch) const;
  int64_t round(double place) const;
  SmallVector<double> getWeights(double fraction) const;
  SmallVector<Tap> makeTaps(const Stretch &stretch) const;
  Value apply(Value value, const Stretch &stretch) const;
  Value repeat(Value value, const Stretch &stretch) const;

  NodeConversion &c;
  StringRef mode, coordinates, rounding;
  double cubic;
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
  if (failed(check("a mode", mode, {"nearest", "linear", "cubic"})) ||
      failed(check("a coordinate_transformation_mode", coordinates,
                   {"half_pixel", "pytorch_half_pixel", "align_corners",
                    "asymmetric"})) ||
      failed(check(
          "a nearest_mode", rounding,
          {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}))) {
    return failure();
  }
  return isa<FloatType>(c.inputType(0).getElementType()) || mode == "nearest"
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
  bool hasSizes = c.hasInput(3), hasScales = c.hasInput(2);
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
    if (stretch.to < 1 || stretch.to > (int64_t(1) << 30)) {
      return c.error() << "expected sizes of at least 1, got " << stretch.to
                       << " in dimension " << axis;
    }
    stretches.push_back(stretch);
  }
  return stretches;
}

/// Where element `i` of the result lies among those of the operand.
double Resize::getPlace(int64_t i, const Stretch &stretch) const {
  double at = static_cast<double>(i);
  if (coordinates == "align_corners") {
    return stretch.to == 1 ? 0.0 : at * (stretch.from - 1) / (stretch.to - 1);
  }
  if (coordinates == "asymmetric") {
    return at / stretch.scale;
  }
  if (coordinates == "pytorch_half_pixel" && stretch.to == 1) {
    return 0.0;
  }
  return (at + 0.5) / stretch.scale - 0.5;
}

int64_t Resize::round(double place) const {
  double rounded = rounding == "floor"                ? std::floor(place)
                   : rounding == "ceil"               ? std::ceil(place)
                   : rounding == "round_prefer_floor" ? std::ceil(place - 0.5)
                                                      : std::floor(place + 0.5);
  return static_cast<int64_t>(rounded);
}

/// Of the elements around a place: two, or four, the second of which is at or
/// before it.
SmallVector<double> Resize::getWeights(double fraction) const {
  if (mode == "linear") {
    return {1.0 - fraction, fraction};
  }
  auto near = [&](double x) {
    return ((cubic + 2) * x - (cubic + 3)) * x * x + 1;
  };
  auto far = [&](double x) {
    return ((cubic * x - 5 * cubic) * x + 8 * cubic) * x - 4 * cubic;
  };
  return {far(1 + fraction), near(fraction), near(1 - fraction),
          far(2 - fraction)};
}

SmallVector<Tap> Resize::makeTaps(const Stretch &stretch) const {
  SmallVector<Tap> taps;
  for (int64_t i = 0; i < stretch.to; ++i) {
    double place = getPlace(i, stretch);
    SmallVector<double> weights{1.0};
    int64_t first = 0;
    if (mode == "nearest") {
      first = round(place);
    } else {
      double floor = std::floor(place);
      weights = getWeights(place - floor);
      first = static_cast<int64_t>(floor) - (mode == "cubic" ? 1 : 0);
    }
    taps.resize(weights.size());
    for (auto [t, weight] : llvm::enumerate(weights)) {
      int64_t element = first + static_cast<int64_t>(t);
      taps[t].elements.push_back(
          std::clamp<int64_t>(element, 0, stretch.from - 1));
      taps[t].weights.push_back(static_cast<float>(weight));
    }
  }
  return taps;
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
  SmallVector<Tap> taps = makeTaps(stretch);
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
    if (stretch.from != stretch.to || stretch.scale != 1.0) {
      value = apply(value, stretch);
    }
  }
  c.setResult(0, value);
  return success();
}

} // namespace

LogicalResult convertResize(NodeConversion &c) { return Resize(c).run(); }

} // namespace accel::onnx
