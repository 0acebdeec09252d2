// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at all tuples once per dimension that they index.
#include "frontends/onnx/GatherView.h"

#include "frontends/onnx/Broadcasting.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// What the tuples choose along one dimension of the operand.
struct ChosenAxis {
  int64_t first = 0, step = 1;
  int64_t along = -1; ///< the result's dimension that it follows; -1: none
};

/// Reads known tuples of indices.
class Tuples {
public:
  Tuples(const HostTensor &tensor, int64_t element)
      : indices(tensor.integers()),
        shape(tensor.getType().getShape().drop_back()),
        size(tensor.getType().getShape().back()), element(element),
        strides(shape.size(), 1) {
    for (int64_t i = shape.size() - 1; i > 0; --i) {
      strides[i - 1] = strides[i] * shape[i];
    }
  }

  /// The first index that a dimension of `extent` does not have.
  std::optional<int64_t> findMissing(int64_t extent) const {
    for (int64_t point = 0; point < count(); ++point) {
      int64_t index = raw(point);
      if (index < -extent || index >= extent) {
        return index;
      }
    }
    return std::nullopt;
  }

  /// None if the indices follow more than one dimension, or no fixed step.
  std::optional<ChosenAxis> getAxis(int64_t extent) const {
    auto at = [&](int64_t point) {
      int64_t index = raw(point);
      return index < 0 ? index + extent : index;
    };
    ChosenAxis axis;
    if (count() == 0) {
      return std::nullopt;
    }
    axis.first = at(0);
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
      int64_t step = shape[dim] > 1 ? at(strides[dim]) - axis.first : 0;
      if (step == 0) {
        continue;
      }
      if (axis.along >= 0 || step < 0) {
        return std::nullopt;
      }
      axis.along = dim;
      axis.step = step;
    }
    for (int64_t point = 0; point < count(); ++point) {
      int64_t place =
          axis.along < 0 ? 0 : point / strides[axis.along] % shape[axis.along];
      if (at(point) != axis.first + place * axis.step) {
        return std::nullopt;
      }
    }
    return axis;
  }

private:
  int64_t count() const { return llvm::product_of(shape); }
  int64_t raw(int64_t point) const { return indices[point * size + element]; }

  ArrayRef<int64_t> indices, shape;
  int64_t size, element;
  SmallVector<int64_t> strides; ///< of the tuples
};

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
                              const HostTensor &tuples, int64_t batchDims) {
  ArrayRef<int64_t> shape = c.typeOf(value).getShape();
  ArrayRef<int64_t> points = tuples.getType().getShape().drop_back();
  SmallVector<ChosenAxis> axes;
  SmallVector<bool> isFollowed(points.size(), false);
  for (int64_t i = 0; i < tuples.getType().getShape().back(); ++i) {
    Tuples elements(tuples, i);
    int64_t extent = shape[batchDims + i];
    if (std::optional<int64_t> missing = elements.findMissing(extent)) {
      return c.error() << "expected indices from " << -extent << " to "
                       << extent - 1 << ", got " << *missing;
    }
    std::optional<ChosenAxis> axis = elements.getAxis(extent);
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
