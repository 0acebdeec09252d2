// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of Pad: one number around a tensor, and with negative counts less
// of it.
#include "frontends/onnx/Builders/Broadcasting.h"
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

} // namespace

LogicalResult convertPad(NodeConversion &c) {
  if (StringRef mode = c.getString("mode", "constant"); mode != "constant") {
    return c.error() << "expected padding with a number, got mode '" << mode
                     << "'; pad with torch.nn.functional.pad(..., "
                        "mode='constant')";
  }
  FailureOr<SmallVector<Padding>> paddings = getPaddings(c);
  if (failed(paddings)) {
    return failure();
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
