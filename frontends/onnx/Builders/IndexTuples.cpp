// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes tuples apart into their elements first: some of them may be known, and
// PyTorch joins them with a Concat.
#include "frontends/onnx/Builders/IndexTuples.h"

#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Builders/GatherAlong.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Element `number` of every tuple, of the shape of the points.
Value takeElement(const NodeConversion &c, Value tuples, int64_t number) {
  auto concat = tuples.getDefiningOp<ConcatOp>();
  int64_t last = c.typeOf(tuples).getRank() - 1;
  if (concat && static_cast<int64_t>(concat.getAxis()) == last) {
    for (Value part : concat.getOperands()) {
      int64_t size = c.typeOf(part).getDimSize(last);
      if (number < size) {
        return takeElement(c, part, number);
      }
      number -= size;
    }
  }
  SmallVector<int64_t> shape(c.typeOf(tuples).getShape()),
      offsets(shape.size(), 0), strides(shape.size(), 1);
  shape.back() = 1;
  offsets.back() = number;
  Value slice = c.slice(tuples, offsets, shape, strides);
  return c.cast(c.reshape(slice, ArrayRef(shape).drop_back()),
                c.builder.getI64Type());
}

/// The dimension of the points that an element counts along up to `size`, -1 if
/// it is none. Fails after an error.
FailureOr<int64_t> findCounted(const NodeConversion &c, Value element,
                               int64_t size) {
  if (!c.state.known.isKnown(element)) {
    return -1;
  }
  HostTensor tensor = c.state.known.evaluate(element);
  if (!tensor) {
    return failure();
  }
  ArrayRef<int64_t> shape = tensor.getType().getShape();
  SmallVector<int64_t> strides = computeStrides(shape);
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    bool counts = extent == size;
    for (auto [point, index] : llvm::enumerate(tensor.integers())) {
      counts &= index == static_cast<int64_t>(point) / strides[dim] % extent;
    }
    if (counts) {
      return static_cast<int64_t>(dim);
    }
  }
  return -1;
}

/// One index for several: in [0, n) if all exist, else n.
Value flatten(const NodeConversion &c, ArrayRef<Value> elements,
              ArrayRef<int64_t> sizes, ArrayRef<int64_t> points) {
  Formula f(c, RankedTensorType::get(points, c.builder.getI64Type()));
  Value flat = f.number(0.0), exist;
  int64_t total = 1;
  for (auto [element, size] : llvm::zip_equal(elements, sizes)) {
    CountedIndex index = countFromStart(c, element, size);
    exist =
        exist ? AndOp::create(c.builder, c.loc, exist, index.exists).getResult()
              : index.exists;
    flat = f.add(f.mul(flat, f.number(static_cast<double>(size))), index.value);
    total *= size;
  }
  return exist ? f.select(exist, flat, f.number(static_cast<double>(total)))
               : flat;
}

/// What is left to index once dimensions that are the same are known.
struct Elements {
  SmallVector<int64_t> alignedData, alignedPoints, indexed, sizes;
  SmallVector<Value> values;
};

FailureOr<Elements> takeApart(const NodeConversion &c, RankedTensorType type,
                              Value tuples, int64_t batchDims) {
  Elements elements;
  elements.alignedData = llvm::to_vector(llvm::seq<int64_t>(0, batchDims));
  elements.alignedPoints = elements.alignedData;
  for (int64_t i = 0; i < c.typeOf(tuples).getShape().back(); ++i) {
    int64_t dim = batchDims + i;
    Value element = takeElement(c, tuples, i);
    FailureOr<int64_t> counted = findCounted(c, element, type.getDimSize(dim));
    if (failed(counted)) {
      return failure();
    }
    if (*counted >= 0 &&
        !llvm::is_contained(elements.alignedPoints, *counted)) {
      elements.alignedData.push_back(dim);
      elements.alignedPoints.push_back(*counted);
    } else {
      elements.indexed.push_back(dim);
      elements.sizes.push_back(type.getDimSize(dim));
      elements.values.push_back(element);
    }
  }
  return elements;
}

} // namespace

FailureOr<IndexTuples> layOutTuples(const NodeConversion &c,
                                    RankedTensorType type, Value tuples,
                                    int64_t batchDims) {
  FailureOr<Elements> elements = takeApart(c, type, tuples, batchDims);
  if (failed(elements)) {
    return failure();
  }
  ArrayRef<int64_t> points = c.typeOf(tuples).getShape().drop_back();
  IndexTuples layout;
  layout.aligned = static_cast<int64_t>(elements->alignedData.size());
  layout.dataOrder = elements->alignedData;
  layout.pointOrder = elements->alignedPoints;
  int64_t n = 1, k = 1;
  for (int64_t dim : elements->alignedData) {
    layout.dataShape.push_back(type.getDimSize(dim));
  }
  layout.pointShape = layout.dataShape;
  for (auto [dim, size] : llvm::zip_equal(elements->indexed, elements->sizes)) {
    layout.dataOrder.push_back(dim);
    n *= size;
  }
  for (auto [dim, size] : llvm::enumerate(points)) {
    if (!llvm::is_contained(elements->alignedPoints, dim)) {
      layout.pointOrder.push_back(static_cast<int64_t>(dim));
      k *= size;
    }
  }
  layout.dataShape.push_back(n);
  layout.pointShape.push_back(k);
  Value flat = flatten(c, elements->values, elements->sizes, points);
  layout.indices =
      c.reshape(c.transpose(flat, layout.pointOrder), layout.pointShape);
  int64_t pointRank = static_cast<int64_t>(points.size());
  int64_t chosen = static_cast<int64_t>(layout.dataOrder.size());
  for (int64_t dim = chosen; dim < type.getRank(); ++dim) {
    layout.dataOrder.push_back(dim);
    layout.pointOrder.push_back(pointRank + dim - chosen);
    layout.dataShape.push_back(type.getDimSize(dim));
    layout.pointShape.push_back(type.getDimSize(dim));
  }
  return layout;
}

} // namespace accel::onnx
