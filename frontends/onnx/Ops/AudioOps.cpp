// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of what spectrograms are made with: windows and the weights of the
// mel scale. They are constants, computed in double when the model is read.
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace accel::onnx {
namespace {

/// As a constant of the type that `output_datatype` names.
LogicalResult setConstant(NodeConversion &c, ArrayRef<int64_t> shape,
                          std::vector<double> elements) {
  auto name = static_cast<int32_t>(c.getInt("output_datatype", 1));
  auto element = dyn_cast_or_null<FloatType>(
      getElementType(*c.builder.getContext(), name));
  if (!element) {
    return c.error() << "expected an output_datatype of floats, got "
                     << getDataTypeName(name);
  }
  HostTensor tensor(RankedTensorType::get(shape, element), std::move(elements));
  c.setResult(0, ConstantOp::create(c.builder, c.loc, tensor.toAttribute()));
  return success();
}

/// The integer in input `i`, from 1 to `most`.
FailureOr<int64_t> getCount(NodeConversion &c, size_t i, int64_t most) {
  FailureOr<int64_t> count = c.getConstantInt(i);
  if (succeeded(count) && (*count < 1 || *count > most)) {
    return c.error() << "expected a number from 1 to " << most << " as input "
                     << i << ", got " << *count;
  }
  return count;
}

/// Of 1, cos(x) and cos(2 x), where x goes from 0 to 2 pi.
struct WindowTerms {
  double constant, once, twice;
};

WindowTerms getTerms(StringRef name) {
  return llvm::StringSwitch<WindowTerms>(name)
      .Case("BlackmanWindow", {0.42, -0.5, 0.08})
      .Case("HammingWindow", {25.0 / 46.0, -21.0 / 46.0, 0})
      .Case("HannWindow", {0.5, -0.5, 0});
}

double toMel(double hertz) {
  return 2595 * std::log1p(hertz / 700) / std::numbers::ln10;
}
double toHertz(double mel) {
  return 700 * std::expm1(mel / 2595 * std::numbers::ln10);
}

/// Where triangles begin, peak and end, as bins of the spectrum: equal steps on
/// the mel scale.
std::vector<int64_t> getCorners(double low, double high, int64_t triangles,
                                int64_t length, int64_t rate) {
  double first = toMel(low);
  double step = (toMel(high) - first) / static_cast<double>(triangles + 2);
  std::vector<int64_t> corners;
  for (int64_t i = 0; i < triangles + 2; ++i) {
    double hertz = toHertz(first + static_cast<double>(i) * step);
    auto bin = static_cast<int64_t>(std::floor(
        static_cast<double>(length + 1) * hertz / static_cast<double>(rate)));
    corners.push_back(std::clamp<int64_t>(bin, 0, length / 2));
  }
  return corners;
}

} // namespace

LogicalResult convertWindow(NodeConversion &c) {
  FailureOr<int64_t> size = getCount(c, 0, kMaxKnownElements);
  if (failed(size)) {
    return failure();
  }
  WindowTerms terms = getTerms(c.node.op_type());
  int64_t around = c.getInt("periodic", 1) != 0 ? *size : *size - 1;
  std::vector<double> elements;
  for (int64_t i = 0; i < *size; ++i) {
    // A window of a single number is 1, as in PyTorch.
    double x = 2 * std::numbers::pi * static_cast<double>(i) /
               static_cast<double>(around);
    elements.push_back(*size == 1 ? 1.0
                                  : terms.constant + terms.once * std::cos(x) +
                                        terms.twice * std::cos(2 * x));
  }
  return setConstant(c, {*size}, std::move(elements));
}

LogicalResult convertMelWeightMatrix(NodeConversion &c) {
  constexpr int64_t kMost = int64_t(1) << 31;
  FailureOr<int64_t> triangles = getCount(c, 0, kMost),
                     length = getCount(c, 1, kMost),
                     rate = getCount(c, 2, kMost);
  FailureOr<double> low = c.getConstantNumber(3), high = c.getConstantNumber(4);
  if (failed(triangles) || failed(length) || failed(rate) || failed(low) ||
      failed(high)) {
    return failure();
  }
  int64_t bins = *length / 2 + 1;
  if (bins > kMaxKnownElements / *triangles) {
    return c.error() << "expected at most " << kMaxKnownElements
                     << " weights, got " << bins << " x " << *triangles;
  }
  if (!(0 <= *low && *low <= *high &&
        *high <= static_cast<double>(*rate) / 2)) {
    return c.error() << "expected edges from 0 to half of the sample rate, "
                     << *rate << ", got " << *low << " and " << *high;
  }
  std::vector<int64_t> corners =
      getCorners(*low, *high, *triangles, *length, *rate);
  std::vector<double> weights(bins * *triangles);
  for (int64_t i = 0; i < *triangles; ++i) {
    int64_t begin = corners[i], peak = corners[i + 1], end = corners[i + 2];
    for (int64_t bin = begin; bin < end; ++bin) {
      double part = bin < peak ? double(bin - begin) / double(peak - begin)
                               : double(end - bin) / double(end - peak);
      weights[bin * *triangles + i] = part;
    }
    weights[peak * *triangles + i] = 1;
  }
  return setConstant(c, {bins, *triangles}, std::move(weights));
}

} // namespace accel::onnx
