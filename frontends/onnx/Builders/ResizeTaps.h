// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements of an operand an element of Resize's result is a sum of, and
// with which weights, along one dimension: the operator's definition, as
// numbers.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_RESIZETAPS_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_RESIZETAPS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace accel::onnx {

/// Attributes of the node.
struct ResizeRule {
  llvm::StringRef mode, coordinates, rounding;
  double cubic = -0.75;
  bool excludesOutside = false; ///< elements beyond the borders weigh nothing
  bool antialias = false;       ///< shrinking averages
  bool hasScales = false;       ///< and no sizes
  bool usesSizes = false;       ///< corners are those of sizes all the same
};

/// Along one dimension. `scale` is what the node says, or the quotient of
/// sizes; [begin, end] is the part that tf_crop_and_resize takes, from 0 to 1.
struct Stretch {
  int64_t axis, from, to;
  double scale;
  double begin = 0.0, end = 1.0;
};

/// For each element of the result one element of the operand and a weight.
struct Tap {
  llvm::SmallVector<int64_t> elements;
  std::vector<float> weights;
};

llvm::SmallVector<Tap> makeTaps(const ResizeRule &rule, const Stretch &stretch);

/// Of each element of the result whether it lies outside the operand, and gets
/// the node's extrapolation value: tf_crop_and_resize alone has such.
std::vector<bool> findOutside(const ResizeRule &rule, const Stretch &stretch);

} // namespace accel::onnx

#endif
