// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of sequences: of SplitToSequence and SequenceAt, as which the
// exporter writes a split when nothing is optimized, and of lists that loops
// fill. A sequence exists while nodes are converted only.
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

/// The parts of input `i`; null after an error.
static SmallVector<Value> *findSequence(NodeConversion &c, int i) {
  auto found = c.state.sequences.find(c.node.input(i));
  if (found == c.state.sequences.end()) {
    c.error() << "expected a sequence that SplitToSequence, SequenceConstruct, "
                 "SequenceEmpty, SequenceInsert or SequenceErase makes, got '"
              << c.node.input(i) << "'";
    return nullptr;
  }
  return &found->second;
}

/// The place in input `i`, up to `last`, of a sequence of `size` parts, from
/// whose end negative ones count; without that input the last one.
static FailureOr<int64_t> getPosition(NodeConversion &c, size_t i, int64_t size,
                                      int64_t last) {
  if (!c.hasInput(i)) {
    return last;
  }
  FailureOr<int64_t> given = c.getConstantInt(i);
  if (succeeded(given) && (*given < -size || *given > last)) {
    return c.error() << "expected a position from " << -size << " to " << last
                     << ", got " << *given;
  }
  return failed(given) || *given >= 0 ? given
                                      : FailureOr<int64_t>(*given + size);
}

LogicalResult convertSequenceAt(NodeConversion &c) {
  SmallVector<Value> *sequence = findSequence(c, 0);
  if (!sequence) {
    return failure();
  }
  auto size = static_cast<int64_t>(sequence->size());
  FailureOr<int64_t> position = getPosition(c, 1, size, size - 1);
  if (failed(position)) {
    return failure();
  }
  c.setResult(0, (*sequence)[*position]);
  return success();
}

LogicalResult convertSequenceConstruct(NodeConversion &c) {
  SmallVector<Value> parts;
  for (size_t i = 0; i < c.inputCount(); ++i) {
    parts.push_back(c.input(i));
  }
  c.state.sequences[c.node.output(0)] = parts;
  return success();
}

LogicalResult convertSequenceInsert(NodeConversion &c) {
  SmallVector<Value> *sequence = findSequence(c, 0);
  if (!sequence || !c.hasInput(1)) {
    return failure();
  }
  SmallVector<Value> parts(*sequence);
  // A new part may stand behind the last one.
  auto size = static_cast<int64_t>(parts.size());
  FailureOr<int64_t> position = getPosition(c, 2, size, size);
  if (failed(position)) {
    return failure();
  }
  parts.insert(parts.begin() + *position, c.input(1));
  c.state.sequences[c.node.output(0)] = parts;
  return success();
}

LogicalResult convertSequenceErase(NodeConversion &c) {
  SmallVector<Value> *sequence = findSequence(c, 0);
  if (!sequence) {
    return failure();
  }
  SmallVector<Value> parts(*sequence);
  auto size = static_cast<int64_t>(parts.size());
  FailureOr<int64_t> position = getPosition(c, 1, size, size - 1);
  if (failed(position)) {
    return failure();
  }
  if (parts.empty()) {
    return c.error() << "expected a sequence with a part to erase, got an "
                        "empty one";
  }
  parts.erase(parts.begin() + *position);
  c.state.sequences[c.node.output(0)] = parts;
  return success();
}

LogicalResult convertSequenceLength(NodeConversion &c) {
  SmallVector<Value> *sequence = findSequence(c, 0);
  if (!sequence) {
    return failure();
  }
  int64_t size = static_cast<int64_t>(sequence->size());
  c.setResult(0, c.reshape(c.makeIntegers({size}), {}));
  return success();
}

LogicalResult convertConcatFromSequence(NodeConversion &c) {
  SmallVector<Value> *sequence = findSequence(c, 0);
  if (!sequence) {
    return failure();
  }
  if (sequence->empty()) {
    return c.error() << "expected a sequence with a part, got an empty one";
  }
  bool isStack = c.getInt("new_axis", 0) != 0;
  RankedTensorType type = c.typeOf(sequence->front());
  int64_t rank = type.getRank() + (isStack ? 1 : 0);
  FailureOr<int64_t> axis = c.normalizeAxis(c.getInt("axis", 0), rank);
  if (failed(axis)) {
    return failure();
  }
  SmallVector<Value> parts;
  SmallVector<int64_t> first;
  for (Value part : *sequence) {
    SmallVector<int64_t> shape(c.typeOf(part).getShape());
    if (isStack) {
      shape.insert(shape.begin() + *axis, 1);
    }
    SmallVector<int64_t> others(shape);
    if (*axis < static_cast<int64_t>(others.size())) {
      others[*axis] = 1;
    }
    first = parts.empty() ? others : first;
    if (others != first ||
        c.typeOf(part).getElementType() != type.getElementType()) {
      return c.error() << "expected parts that differ in dimension " << *axis
                       << " only, got " << type << " and " << part.getType();
    }
    parts.push_back(c.reshape(part, shape));
  }
  c.setResult(0, c.concat(parts, *axis));
  return success();
}

} // namespace accel::onnx
