// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of SplitToSequence and SequenceAt, as which the exporter writes a
// split when nothing is optimized. A sequence exists while nodes are converted
// only.
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Sizes of the parts of `total` elements: as given, or of one size, the last
/// one what is left.
FailureOr<SmallVector<int64_t>> getSizes(NodeConversion &c, int64_t total) {
  SmallVector<int64_t> sizes;
  int64_t each = 1;
  if (c.hasInput(1) && c.inputType(1).getRank() > 0) {
    FailureOr<SmallVector<int64_t>> given = c.getConstantInts(1);
    if (failed(given)) {
      return failure();
    }
    sizes = *given;
  } else if (c.hasInput(1)) {
    FailureOr<int64_t> given = c.getConstantInt(1);
    if (failed(given)) {
      return failure();
    }
    each = *given;
  }
  if (sizes.empty() && each > 0) {
    for (int64_t left = total; left > 0; left -= each) {
      sizes.push_back(std::min(left, each));
    }
  }
  int64_t left = total;
  for (int64_t size : sizes) {
    left = size > 0 && size <= left ? left - size : -1;
    if (left < 0) {
      break;
    }
  }
  if (sizes.empty() || left != 0) {
    return c.error() << "expected positive sizes that add up to " << total
                     << ", got others";
  }
  return sizes;
}

} // namespace

LogicalResult convertSplitToSequence(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", 0), type.getRank());
  if (failed(axis)) {
    return failure();
  }
  FailureOr<SmallVector<int64_t>> sizes = getSizes(c, type.getDimSize(*axis));
  if (failed(sizes)) {
    return failure();
  }
  bool keepsAxis = c.hasInput(1) || c.getInt("keepdims", 1) != 0;
  SmallVector<Value> &sequence = c.state.sequences[c.node.output(0)];
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Type> types;
  for (int64_t size : *sizes) {
    shape[*axis] = size;
    types.push_back(type.clone(shape));
  }
  if (types.size() == 1) {
    sequence.push_back(c.input(0));
  } else {
    auto split = SplitOp::create(c.builder, c.loc, types, c.input(0), *axis);
    llvm::append_range(sequence, split.getResults());
  }
  if (!keepsAxis) {
    shape.erase(shape.begin() + *axis);
    for (Value &part : sequence) {
      part = c.reshape(part, shape);
    }
  }
  return success();
}

LogicalResult convertSequenceAt(NodeConversion &c) {
  auto found = c.state.sequences.find(c.node.input(0));
  if (found == c.state.sequences.end()) {
    return c.error() << "expected a sequence that SplitToSequence makes, got '"
                     << c.node.input(0) << "'";
  }
  FailureOr<int64_t> given = c.getConstantInt(1);
  if (failed(given)) {
    return failure();
  }
  int64_t size = static_cast<int64_t>(found->second.size());
  if (*given < -size || *given >= size) {
    return c.error() << "expected a position from " << -size << " to "
                     << size - 1 << ", got " << *given;
  }
  c.setResult(0, found->second[*given < 0 ? *given + size : *given]);
  return success();
}

} // namespace accel::onnx
