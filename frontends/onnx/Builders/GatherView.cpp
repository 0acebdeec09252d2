// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at all tuples once per dimension that they index.
#include "frontends/onnx/Builders/GatherView.h"

#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/GatherAlong.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// What the tuples choose along one dimension of the operand.
struct ChosenAxis {
  int64_t first = 0, step = 1;
  int64_t along = -1; ///< the result's dimension that it follows; -1: none
};

/// What indices, one for each point of `shape`, choose; none if they follow
/// more than one dimension, or no fixed step.
std::optional<ChosenAxis> findAxis(ArrayRef<int64_t> indices,
                                   ArrayRef<int64_t> shape) {
  if (indices.empty()) {
    return std::nullopt;
  }
  SmallVector<int64_t> strides = computeStrides(shape);
  ChosenAxis axis;
  axis.first = indices[0];
  for (auto [dim, size, stride] : llvm::enumerate(shape, strides)) {
    int64_t step = size > 1 ? indices[stride] - axis.first : 0;
    if (step == 0) {
      continue;
    }
    if (axis.along >= 0 || step < 0) {
      return std::nullopt;
    }
    axis.along = static_cast<int64_t>(dim);
    axis.step = step;
  }
  for (auto [point, index] : llvm::enumerate(indices)) {
    int64_t place = axis.along < 0
                        ? 0
                        : static_cast<int64_t>(point) / strides[axis.along] %
                              shape[axis.along];
    if (index != axis.first + place * axis.step) {
      return std::nullopt;
    }
  }
  return axis;
}

/// Element `number` of every tuple.
SmallVector<int64_t> takeElement(const HostTensor &tuples, int64_t number) {
  SmallVector<int64_t> indices;
  size_t size = tuples.getType().getShape().back();
  for (size_t at = number; at < tuples.integers().size(); at += size) {
    indices.push_back(tuples.integers()[at]);
  }
  return indices;
}

/// The chosen elements, a dimension of size 1 where the result repeats them.
Value takeAxes(const NodeConversion &c, Value value, ArrayRef<ChosenAxis> axes,
               ArrayRef<int64_t> points, int64_t batchDims) {
  SmallVector<int64_t> shape(c.typeOf(value).getShape());
  int64_t rank = shape.size(), behind = batchDims + axes.size();
  SmallVector<int64_t> offsets(rank, 0), strides(rank, 1), fixed;
  SmallVector<int64_t> from(points.size(), -1);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t dim = batchDims + static_cast<int64_t>(i);
    offsets[dim] = axis.first;
    strides[dim] = axis.step;
    shape[dim] = axis.along < 0 ? 1 : points[axis.along];
    (axis.along < 0 ? fixed.emplace_back() : from[axis.along]) = dim;
  }
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, batchDims));
  SmallVector<int64_t> sizes(points.take_front(batchDims));
  for (auto [dim, size] :
       llvm::drop_begin(llvm::zip(from, points), batchDims)) {
    sizes.push_back(dim < 0 ? 1 : size);
    if (dim >= 0) {
      order.push_back(dim);
    }
  }
  llvm::append_range(order, fixed);
  llvm::append_range(order, llvm::seq(behind, rank));
  llvm::append_range(sizes, ArrayRef(shape).drop_front(behind));
  Value slice = c.slice(value, offsets, shape, strides);
  return c.reshape(c.transpose(slice, order), sizes);
}

} // namespace

FailureOr<Value> viewOfTuples(const NodeConversion &c, Value value,
                              Value tuples, int64_t batchDims) {
  KnownValues &known = c.state.known;
  if (!known.isKnown(tuples) || known.isKnown(value)) {
    return Value();
  }
  HostTensor tensor = known.evaluate(tuples);
  if (!tensor) {
    return failure();
  }
  ArrayRef<int64_t> shape = c.typeOf(value).getShape();
  ArrayRef<int64_t> points = tensor.getType().getShape().drop_back();
  SmallVector<ChosenAxis> axes;
  SmallVector<bool> isFollowed(points.size(), false);
  for (int64_t i = 0; i < tensor.getType().getShape().back(); ++i) {
    FailureOr<SmallVector<int64_t>> indices =
        countFromStart(c, takeElement(tensor, i), shape[batchDims + i]);
    if (failed(indices)) {
      return failure();
    }
    std::optional<ChosenAxis> axis = findAxis(*indices, points);
    bool isFree = axis && (axis->along < 0 || (axis->along >= batchDims &&
                                               !isFollowed[axis->along]));
    if (!isFree) {
      return Value();
    }
    if (axis->along >= 0) {
      isFollowed[axis->along] = true;
    }
    axes.push_back(*axis);
  }
  SmallVector<int64_t> result(points);
  llvm::append_range(result, shape.drop_front(batchDims + axes.size()));
  return broadcastTo(c, takeAxes(c, value, axes, points, batchDims), result);
}

} // namespace accel::onnx
