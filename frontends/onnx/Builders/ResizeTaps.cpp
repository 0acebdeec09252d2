// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas of the operator's description, in double.
#include "frontends/onnx/Builders/ResizeTaps.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace llvm;

namespace accel::onnx {
namespace {

/// `at / scale`. A place that is rounded to a neighbour is divided as PyTorch
/// and others divide, in single precision: what meets an element there lies
/// beside it in double.
double divide(const ResizeRule &rule, const Stretch &stretch, double at) {
  if (rule.mode == "nearest" && rule.hasScales) {
    return static_cast<float>(at) / static_cast<float>(stretch.scale);
  }
  return at / stretch.scale;
}

/// Where element `i` of the result lies among those of the operand.
double getPlace(const ResizeRule &rule, const Stretch &stretch, int64_t i) {
  double at = static_cast<double>(i);
  // What the scale says, which sizes are rounded from.
  double width = rule.usesSizes
                     ? static_cast<double>(stretch.to)
                     : stretch.scale * static_cast<double>(stretch.from);
  double last = static_cast<double>(stretch.from - 1);
  if (rule.coordinates == "align_corners") {
    return stretch.to == 1 ? 0.0 : at * last / (width - 1);
  }
  if (rule.coordinates == "asymmetric") {
    return divide(rule, stretch, at);
  }
  if (rule.coordinates == "tf_crop_and_resize") {
    return stretch.to == 1
               ? 0.5 * (stretch.begin + stretch.end) * last
               : stretch.begin * last +
                     at * (stretch.end - stretch.begin) * last / (width - 1);
  }
  double place = divide(rule, stretch, at + 0.5) - 0.5;
  if (rule.coordinates == "half_pixel_symmetric") {
    double center = static_cast<double>(stretch.from) / 2;
    return center * (1 - static_cast<double>(stretch.to) / width) + place;
  }
  return rule.coordinates == "pytorch_half_pixel" && stretch.to == 1 ? 0.0
                                                                     : place;
}

int64_t roundPlace(StringRef rounding, double place) {
  double rounded = rounding == "floor"                ? std::floor(place)
                   : rounding == "ceil"               ? std::ceil(place)
                   : rounding == "round_prefer_floor" ? std::ceil(place - 0.5)
                                                      : std::floor(place + 0.5);
  return static_cast<int64_t>(rounded);
}

/// How much an element at distance `x` weighs, before the sum is made 1.
double getWeight(const ResizeRule &rule, double x) {
  x = std::abs(x);
  if (rule.mode == "linear") {
    return std::max(0.0, 1.0 - x);
  }
  double a = rule.cubic;
  return x <= 1  ? ((a + 2) * x - (a + 3)) * x * x + 1
         : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
                 : 0.0;
}

/// The weights of the elements from `first` on around `place`.
SmallVector<double> getWeights(const ResizeRule &rule, const Stretch &stretch,
                               double place, int64_t &first) {
  // Shrinking widens the filter, so that no element is left out.
  double narrow = rule.antialias ? std::min(stretch.scale, 1.0) : 1.0;
  double reach = rule.mode == "cubic" ? 2.0 : 1.0;
  int64_t begin = static_cast<int64_t>(std::floor(-reach / narrow)) + 1;
  double floor = std::floor(place);
  first = static_cast<int64_t>(floor) + begin;
  SmallVector<double> weights;
  for (int64_t i = begin; i < 2 - begin; ++i) {
    weights.push_back(
        getWeight(rule, (static_cast<double>(i) - (place - floor)) * narrow));
    int64_t element = static_cast<int64_t>(floor) + i;
    if (rule.excludesOutside && (element < 0 || element >= stretch.from)) {
      weights.back() = 0.0;
    }
  }
  if (rule.antialias || rule.excludesOutside) {
    double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double &weight : weights) {
      weight /= sum;
    }
  }
  return weights;
}

} // namespace

SmallVector<Tap> makeTaps(const ResizeRule &rule, const Stretch &stretch) {
  SmallVector<Tap> taps;
  for (int64_t i = 0; i < stretch.to; ++i) {
    double place = getPlace(rule, stretch, i);
    SmallVector<double> weights{1.0};
    int64_t first = 0;
    if (rule.mode == "nearest") {
      first = roundPlace(rule.rounding, place);
    } else {
      weights = getWeights(rule, stretch, place, first);
    }
    taps.resize(weights.size());
    for (auto [t, weight] : enumerate(weights)) {
      int64_t element = first + static_cast<int64_t>(t);
      taps[t].elements.push_back(
          std::clamp<int64_t>(element, 0, stretch.from - 1));
      taps[t].weights.push_back(static_cast<float>(weight));
    }
  }
  return taps;
}

std::vector<bool> findOutside(const ResizeRule &rule, const Stretch &stretch) {
  std::vector<bool> outside;
  for (int64_t i = 0; i < stretch.to; ++i) {
    double place = getPlace(rule, stretch, i);
    outside.push_back(
        rule.coordinates == "tf_crop_and_resize" &&
        (place < 0 || place > static_cast<double>(stretch.from - 1)));
  }
  return outside;
}

} // namespace accel::onnx
