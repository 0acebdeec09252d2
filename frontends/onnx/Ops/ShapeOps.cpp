// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators that rearrange elements. Their shape operands must be
// known.
#include "frontends/onnx/Builders/GatherAlong.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;

namespace accel::onnx {
namespace {

/// The axes in input `i`.
FailureOr<SmallVector<int64_t>> getAxes(NodeConversion &c, size_t i,
                                        int64_t rank) {
  FailureOr<SmallVector<int64_t>> axes = c.getConstantInts(i);
  if (failed(axes)) {
    return failure();
  }
  return c.normalizeAxes(*axes, rank);
}

/// One dimension of a Slice.
struct Range {
  int64_t offset = 0, stride = 1, size = 0;
};

/// ONNX's clamping of start and end.
Range clampRange(int64_t start, int64_t end, int64_t step, int64_t size) {
  auto clamp = [&](int64_t position) {
    return std::clamp<int64_t>(position < 0 ? position + size : position, 0,
                               size);
  };
  Range range;
  range.offset = clamp(start);
  // A step past the end takes one element, however far it goes.
  range.stride = std::min(step, std::max<int64_t>(size, 1));
  range.size = std::max<int64_t>(
      0, (clamp(end) - range.offset + range.stride - 1) / range.stride);
  return range;
}

/// The inputs of a Slice; axes and steps have defaults.
struct SliceOperands {
  SmallVector<int64_t> starts, ends, axes, steps;
};

FailureOr<SliceOperands> getSliceOperands(NodeConversion &c) {
  int64_t rank = c.inputType(0).getRank();
  FailureOr<SmallVector<int64_t>> starts = c.getConstantInts(1),
                                  ends = c.getConstantInts(2);
  if (failed(starts) || failed(ends)) {
    return failure();
  }
  FailureOr<SmallVector<int64_t>> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, starts->size()));
  FailureOr<SmallVector<int64_t>> steps =
      SmallVector<int64_t>(starts->size(), 1);
  if (c.hasInput(3)) {
    axes = getAxes(c, 3, rank);
  }
  if (c.hasInput(4)) {
    steps = c.getConstantInts(4);
  }
  if (failed(axes) || failed(steps)) {
    return failure();
  }
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size() ||
      static_cast<int64_t>(axes->size()) > rank) {
    return c.error()
           << "expected starts, ends, axes and steps of one length, at most "
           << rank << ", got " << starts->size() << ", " << ends->size() << ", "
           << axes->size() << " and " << steps->size();
  }
  return SliceOperands{*starts, *ends, *axes, *steps};
}

/// Elements start, start + step, ... before end, for a negative step.
SmallVector<int64_t> countDown(int64_t start, int64_t end, int64_t step,
                               int64_t size) {
  auto clamp = [&](int64_t position, int64_t least) {
    return std::clamp<int64_t>(position < 0 ? position + size : position, least,
                               size - 1);
  };
  SmallVector<int64_t> indices;
  int64_t last = end < -size ? -1 : clamp(end, -1);
  // A step beyond the start takes one element, however far it goes.
  int64_t stride = std::max(step, -std::max<int64_t>(size, 1));
  for (int64_t i = clamp(start, 0); i > last; i += stride) {
    indices.push_back(i);
  }
  return indices;
}

} // namespace

LogicalResult convertReshape(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> shape = c.getConstantInts(1);
  if (failed(shape)) {
    return failure();
  }
  RankedTensorType type = c.inputType(0);
  int64_t known = 1, inferred = -1;
  for (auto [i, size] : llvm::enumerate(*shape)) {
    if (size == 0 && !c.getInt("allowzero", 0) &&
        static_cast<int64_t>(i) < type.getRank()) {
      size = type.getDimSize(i);
    }
    if (size == -1 && inferred < 0) {
      inferred = static_cast<int64_t>(i);
    } else if (size < 0 || llvm::MulOverflow(known, size, known)) {
      return c.error() << "expected sizes, or -1 once, as the shape, got "
                       << size;
    }
  }
  if (inferred >= 0) {
    (*shape)[inferred] = known == 0 ? 0 : type.getNumElements() / known;
    known *= (*shape)[inferred];
  }
  if (known != type.getNumElements()) {
    InFlightDiagnostic diagnostic = c.error() << "expected a shape of "
                                              << type.getNumElements()
                                              << " elements, got [";
    llvm::interleaveComma(*shape, diagnostic);
    return diagnostic << "]; is a size of the exporting machine baked into the "
                         "model? Export with that dimension symbolic";
  }
  c.setResult(0, c.reshape(c.input(0), *shape));
  return success();
}

LogicalResult convertFlatten(NodeConversion &c) {
  ArrayRef<int64_t> shape = c.inputType(0).getShape();
  int64_t rank = static_cast<int64_t>(shape.size()), axis = c.getInt("axis", 1);
  if (axis < -rank || axis > rank) {
    return c.error() << "expected an axis from " << -rank << " to " << rank
                     << ", got " << axis;
  }
  auto product = [](ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                           std::multiplies<>());
  };
  axis = axis < 0 ? axis + rank : axis;
  c.setResult(0, c.reshape(c.input(0), {product(shape.take_front(axis)),
                                        product(shape.drop_front(axis))}));
  return success();
}

LogicalResult convertSqueeze(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  SmallVector<int64_t> axes;
  if (c.hasInput(1)) {
    FailureOr<SmallVector<int64_t>> given = getAxes(c, 1, type.getRank());
    if (failed(given)) {
      return failure();
    }
    axes = *given;
  } else {
    llvm::copy_if(llvm::seq<int64_t>(0, type.getRank()),
                  std::back_inserter(axes),
                  [&](int64_t axis) { return type.getDimSize(axis) == 1; });
  }
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    if (!llvm::is_contained(axes, axis)) {
      shape.push_back(size);
    } else if (size != 1) {
      return c.error() << "expected size 1 in dimension " << axis << ", got "
                       << size;
    }
  }
  c.setResult(0, c.reshape(c.input(0), shape));
  return success();
}

LogicalResult convertUnsqueeze(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> given = c.getConstantInts(1);
  if (failed(given)) {
    return failure();
  }
  int64_t rank = c.inputType(0).getRank() + static_cast<int64_t>(given->size());
  FailureOr<SmallVector<int64_t>> axes = getAxes(c, 1, rank);
  if (failed(axes)) {
    return failure();
  }
  SmallVector<int64_t> shape;
  const int64_t *own = c.inputType(0).getShape().begin();
  for (int64_t axis = 0; axis < rank; ++axis) {
    shape.push_back(llvm::is_contained(*axes, axis) ? 1 : *own++);
  }
  c.setResult(0, c.reshape(c.input(0), shape));
  return success();
}

LogicalResult convertTranspose(NodeConversion &c) {
  int64_t rank = c.inputType(0).getRank();
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  if (std::optional<SmallVector<int64_t>> given = c.getInts("perm")) {
    FailureOr<SmallVector<int64_t>> normalized = c.normalizeAxes(*given, rank);
    if (failed(normalized)) {
      return failure();
    }
    permutation = *normalized;
  }
  if (static_cast<int64_t>(permutation.size()) != rank) {
    return c.error() << "expected a permutation of " << rank
                     << " dimensions, got one of " << permutation.size();
  }
  c.setResult(0, c.transpose(c.input(0), permutation));
  return success();
}

LogicalResult convertConcat(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", 0), type.getRank());
  if (failed(axis)) {
    return failure();
  }
  SmallVector<Value> operands;
  for (size_t i = 0; i < c.inputCount(); ++i) {
    RankedTensorType other = c.inputType(i);
    bool matches = other.getElementType() == type.getElementType() &&
                   other.getRank() == type.getRank();
    for (int64_t d = 0; matches && d < type.getRank(); ++d) {
      matches = d == *axis || other.getDimSize(d) == type.getDimSize(d);
    }
    if (!matches) {
      return c.error() << "expected inputs that differ in dimension " << *axis
                       << " only, got " << type << " and " << other;
    }
    if (other.getDimSize(*axis) > 0) {
      operands.push_back(c.input(i));
    }
  }
  c.setResult(0, operands.empty() ? c.input(0) : c.concat(operands, *axis));
  return success();
}

/// The sizes of the parts of a Split: given, or as equal as can be, the last
/// one smaller.
static FailureOr<SmallVector<int64_t>> getPartSizes(NodeConversion &c,
                                                    int64_t total) {
  int64_t parts = c.node.output_size();
  if (int64_t declared = c.getInt("num_outputs", parts); declared != parts) {
    return c.error() << "expected num_outputs = " << parts
                     << ", the number of outputs, got " << declared;
  }
  if (c.hasInput(1)) {
    return c.getConstantInts(1);
  }
  int64_t size = (total + parts - 1) / parts;
  SmallVector<int64_t> sizes(parts, size);
  sizes.back() = total - size * (parts - 1);
  return sizes;
}

LogicalResult convertSplit(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", 0), type.getRank());
  if (failed(axis)) {
    return failure();
  }
  int64_t total = type.getDimSize(*axis);
  FailureOr<SmallVector<int64_t>> sizes = getPartSizes(c, total);
  if (failed(sizes)) {
    return failure();
  }
  // What is left is never negative, so no sum overflows.
  int64_t left = total;
  for (int64_t size : *sizes) {
    left = size >= 0 && size <= left ? left - size : -1;
    if (left < 0) {
      break;
    }
  }
  if (static_cast<int64_t>(sizes->size()) != c.node.output_size() ||
      left != 0) {
    return c.error() << "expected " << c.node.output_size()
                     << " sizes that add up to " << total << ", got others";
  }
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
      shape(type.getShape());
  if (llvm::is_contained(*sizes, 0)) {
    for (auto [i, size] : llvm::enumerate(*sizes)) {
      shape[*axis] = size;
      c.setResult(i, c.slice(c.input(0), offsets, shape, strides));
      offsets[*axis] += size;
    }
    return success();
  }
  SmallVector<Type> types;
  for (int64_t size : *sizes) {
    shape[*axis] = size;
    types.push_back(type.clone(shape));
  }
  auto split = SplitOp::create(c.builder, c.loc, types, c.input(0), *axis);
  for (auto [i, result] : llvm::enumerate(split.getResults())) {
    c.setResult(i, result);
  }
  return success();
}

LogicalResult convertSlice(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  FailureOr<SliceOperands> given = getSliceOperands(c);
  if (failed(given)) {
    return failure();
  }
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
      shape(type.getShape());
  for (auto [start, end, axis, step] :
       llvm::zip_equal(given->starts, given->ends, given->axes, given->steps)) {
    if (step == 0) {
      return c.error() << "expected steps other than 0";
    }
    if (step < 0) {
      continue;
    }
    Range range = clampRange(start, end, step, type.getDimSize(axis));
    offsets[axis] = range.offset;
    strides[axis] = range.stride;
    shape[axis] = range.size;
  }
  Value value = c.slice(c.input(0), offsets, shape, strides);
  for (auto [start, end, axis, step] :
       llvm::zip_equal(given->starts, given->ends, given->axes, given->steps)) {
    if (step < 0) {
      value = gatherAlong(
          c, value, axis,
          c.makeIntegers(countDown(start, end, step, type.getDimSize(axis))));
    }
  }
  c.setResult(0, value);
  return success();
}

LogicalResult convertTile(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> repeats = c.getConstantInts(1);
  if (failed(repeats)) {
    return failure();
  }
  RankedTensorType type = c.inputType(0);
  if (static_cast<int64_t>(repeats->size()) != type.getRank() ||
      llvm::any_of(*repeats, [](int64_t count) { return count < 0; })) {
    return c.error() << "expected a number of repetitions for each of "
                     << type.getRank() << " dimensions";
  }
  // What is repeated gets a dimension of its own in front of it.
  SmallVector<int64_t> repeated, together, dimensions;
  for (auto [size, count] : llvm::zip(type.getShape(), *repeats)) {
    if (count != 1) {
      repeated.push_back(count);
    }
    dimensions.push_back(static_cast<int64_t>(repeated.size()));
    repeated.push_back(size);
    together.push_back(count * size);
  }
  Value wide = BroadcastOp::create(c.builder, c.loc, type.clone(repeated),
                                   c.input(0), dimensions);
  c.setResult(0, c.reshape(wide, together));
  return success();
}

} // namespace accel::onnx
