// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of norms over groups of channels of one sample: rows of a layer
// norm, with a scale and a bias for each channel behind it.
#include "frontends/onnx/Conversion/OperatorTable.h"

using namespace mlir;

namespace accel::onnx {
namespace {

LogicalResult checkOperand(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  if (type.getRank() < 3 || !isa<FloatType>(type.getElementType())) {
    return c.error() << "expected a float tensor of samples, channels and at "
                        "least one more dimension, got "
                     << type;
  }
  return success();
}

/// Inputs 1 and 2 have one number for each of `count`, which are `what`.
LogicalResult checkVectors(NodeConversion &c, int64_t count, StringRef what) {
  RankedTensorType expected = c.inputType(0).clone({count});
  for (size_t i : {1, 2}) {
    if (c.inputType(i) != expected) {
      return c.error() << "expected a " << (i == 1 ? "scale" : "bias")
                       << " with one number for each " << what << ", "
                       << expected << ", got " << c.inputType(i);
    }
  }
  return success();
}

/// The operand, each group of channels of each sample normalised.
Value normalizeGroups(NodeConversion &c, int64_t groups) {
  RankedTensorType type = c.inputType(0);
  int64_t samples = type.getDimSize(0);
  int64_t size = type.getNumElements() / (samples * groups);
  auto rows = type.clone({samples, groups});
  auto norm = LayerNormOp::create(
      c.builder, c.loc, type.clone({samples, groups, size}), rows, rows,
      c.reshape(c.input(0), {samples, groups, size}),
      c.makeConstant(type.clone({size}), 1.0), /*bias=*/Value(),
      c.builder.getF64FloatAttr(c.getFloat("epsilon", 1e-5)));
  return c.reshape(norm.getResult(), type.getShape());
}

/// `norm` times `scale` plus `bias`, which have a number for each channel.
Value scaleChannels(NodeConversion &c, Value norm, Value scale, Value bias) {
  RankedTensorType type = c.inputType(0);
  auto spread = [&](Value channels) -> Value {
    return BroadcastOp::create(c.builder, c.loc, type, channels,
                               ArrayRef<int64_t>{1});
  };
  Value scaled = MulOp::create(c.builder, c.loc, type, norm, spread(scale));
  return AddOp::create(c.builder, c.loc, type, scaled, spread(bias));
}

/// A vector with a number for each group as one with a number for each channel.
Value repeatGroups(NodeConversion &c, Value vector, int64_t channels) {
  RankedTensorType type = NodeConversion::typeOf(vector);
  int64_t groups = type.getDimSize(0);
  Value repeated = BroadcastOp::create(c.builder, c.loc,
                                       type.clone({groups, channels / groups}),
                                       vector, ArrayRef<int64_t>{0});
  return c.reshape(repeated, {channels});
}

} // namespace

LogicalResult convertInstanceNorm(NodeConversion &c) {
  if (failed(checkOperand(c))) {
    return failure();
  }
  int64_t channels = c.inputType(0).getDimSize(1);
  if (failed(checkVectors(c, channels, "channel"))) {
    return failure();
  }
  c.setResult(0, scaleChannels(c, normalizeGroups(c, channels), c.input(1),
                               c.input(2)));
  return success();
}

LogicalResult convertGroupNorm(NodeConversion &c) {
  if (failed(checkOperand(c))) {
    return failure();
  }
  int64_t channels = c.inputType(0).getDimSize(1);
  int64_t groups = c.getInt("num_groups", 1);
  if (groups < 1 || channels % groups != 0) {
    return c.error() << "expected num_groups that divides the " << channels
                     << " channels, got " << groups;
  }
  // Up to operator set 20 there is one scale for a group.
  bool isPerGroup = c.opset() < 21;
  if (failed(checkVectors(c, isPerGroup ? groups : channels,
                          isPerGroup ? "group" : "channel"))) {
    return failure();
  }
  Value scale = c.input(1), bias = c.input(2);
  if (isPerGroup) {
    scale = repeatGroups(c, scale, channels);
    bias = repeatGroups(c, bias, channels);
  }
  c.setResult(0, scaleChannels(c, normalizeGroups(c, groups), scale, bias));
  return success();
}

} // namespace accel::onnx
