// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of Pad: one number or a tensor's own elements around it, and with
// negative counts less of it.
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/GatherAlong.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// How many elements to add along one dimension; negative: to take away.
struct Padding {
  int64_t axis, before, after;
};

FailureOr<SmallVector<Padding>> getPaddings(NodeConversion &c) {
  int64_t rank = c.inputType(0).getRank();
  FailureOr<SmallVector<int64_t>> counts = c.getConstantInts(1);
  FailureOr<SmallVector<int64_t>> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (c.hasInput(3)) {
    axes = c.getConstantInts(3);
    if (succeeded(axes)) {
      axes = c.normalizeAxes(*axes, rank);
    }
  }
  if (failed(counts) || failed(axes)) {
    return failure();
  }
  if (counts->size() != 2 * axes->size()) {
    c.error() << "expected two numbers of elements for each of " << axes->size()
              << " dimensions, got " << counts->size();
    return failure();
  }
  SmallVector<Padding> paddings;
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    Padding padding{axis, (*counts)[i], (*counts)[axes->size() + i]};
    int64_t size = c.inputType(0).getDimSize(axis);
    int64_t cut = std::min<int64_t>(0, padding.before) +
                  std::min<int64_t>(0, padding.after);
    if (size + cut < 0) {
      c.error() << "expected to take away at most " << size
                << " elements of dimension " << axis << ", got " << -cut;
      return failure();
    }
    paddings.push_back(padding);
  }
  return paddings;
}

/// What stays of `value`.
Value cut(NodeConversion &c, Value value, ArrayRef<Padding> paddings) {
  RankedTensorType type = c.typeOf(value);
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
      shape(type.getShape());
  for (const Padding &padding : paddings) {
    offsets[padding.axis] = std::max<int64_t>(0, -padding.before);
    shape[padding.axis] += std::min<int64_t>(0, padding.before) +
                           std::min<int64_t>(0, padding.after);
  }
  return c.slice(value, offsets, shape, strides);
}

Value extend(NodeConversion &c, Value value, const Padding &padding,
             Value number) {
  RankedTensorType type = c.typeOf(value);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> parts;
  auto add = [&](int64_t count) {
    if (count > 0) {
      shape[padding.axis] = count;
      parts.push_back(broadcastTo(c, number, shape));
    }
  };
  add(padding.before);
  parts.push_back(value);
  add(padding.after);
  return c.concat(parts, padding.axis);
}

/// `i` modulo `n`, not negative.
int64_t wrapped(int64_t i, int64_t n) { return (i % n + n) % n; }

/// Which element of `size` stands at `place`, which may be outside of them.
int64_t findElement(StringRef mode, int64_t place, int64_t size) {
  if (mode == "edge") {
    return std::clamp<int64_t>(place, 0, size - 1);
  }
  if (mode == "wrap" || size == 1) {
    return wrapped(place, size);
  }
  // There and back, the ends once.
  int64_t round = wrapped(place, 2 * size - 2);
  return std::min(round, 2 * size - 2 - round);
}

LogicalResult padWithElements(NodeConversion &c, StringRef mode,
                              ArrayRef<Padding> paddings) {
  if (mode != "edge" && mode != "reflect" && mode != "wrap") {
    return c.error()
           << "expected mode 'constant', 'edge', 'reflect' or 'wrap', "
              "got '"
           << mode << "'";
  }
  Value value = c.input(0);
  for (const Padding &padding : paddings) {
    int64_t size = c.inputType(0).getDimSize(padding.axis);
    SmallVector<int64_t> elements;
    for (int64_t place = -padding.before; place < size + padding.after;
         ++place) {
      elements.push_back(findElement(mode, place, size));
    }
    bool isAll = padding.before == 0 && padding.after == 0;
    if (elements.empty()) {
      return c.error() << "expected at least one element in dimension "
                       << padding.axis << ", got none";
    }
    value = isAll
                ? value
                : gatherAlong(c, value, padding.axis, c.makeIntegers(elements));
  }
  c.setResult(0, value);
  return success();
}

} // namespace

LogicalResult convertPad(NodeConversion &c) {
  StringRef mode = c.getString("mode", "constant");
  if (mode == "wrap" && c.opset() < 19) {
    return c.error()
           << "expected operator set 19 or newer for mode 'wrap', got "
           << c.opset() << "; export with opset_version=19";
  }
  FailureOr<SmallVector<Padding>> paddings = getPaddings(c);
  if (failed(paddings)) {
    return failure();
  }
  if (mode != "constant") {
    return padWithElements(c, mode, *paddings);
  }
  auto scalar = RankedTensorType::get({}, c.inputType(0).getElementType());
  Value number = c.makeConstant(scalar, 0.0);
  if (c.hasInput(2)) {
    RankedTensorType given = c.inputType(2);
    if (given.getNumElements() != 1 ||
        given.getElementType() != scalar.getElementType()) {
      return c.error() << "expected one number of type "
                       << scalar.getElementType() << " to pad with, got "
                       << given;
    }
    number = c.reshape(c.input(2), {});
  }
  Value value = cut(c, c.input(0), *paddings);
  for (const Padding &padding : *paddings) {
    value = extend(c, value, padding, number);
  }
  c.setResult(0, value);
  return success();
}

} // namespace accel::onnx
