// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators that read by index.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Annotation/PaddingRows.h"
#include "frontends/onnx/Builders/ChosenRows.h"
#include "frontends/onnx/Builders/Formula.h"
#include "frontends/onnx/Builders/GatherAlong.h"
#include "frontends/onnx/Builders/GatherView.h"
#include "frontends/onnx/Builders/IndexBounds.h"
#include "frontends/onnx/Builders/IndexTuples.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Known indices counted from the start and checked against the table's `size`;
/// computed ones are left as they are.
FailureOr<Value> normalizeIndices(NodeConversion &c, Value indices,
                                  int64_t size) {
  if (!c.state.known.isKnown(indices)) {
    return indices;
  }
  HostTensor tensor = c.state.known.evaluate(indices);
  if (!tensor) {
    return failure();
  }
  FailureOr<SmallVector<int64_t>> counted =
      countFromStart(c, tensor.integers(), size);
  if (failed(counted)) {
    return failure();
  }
  if (ArrayRef(*counted) == tensor.integers()) {
    return indices;
  }
  llvm::copy(*counted, tensor.mutableIntegers().begin());
  return ConstantOp::create(c.builder, c.loc, tensor.toAttribute()).getResult();
}

/// `operand[.., index, ..]` as a slice, which has a simpler gradient than a
/// gather.
Value sliceAt(NodeConversion &c, int64_t axis, int64_t index) {
  RankedTensorType type = c.inputType(0);
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
      shape(type.getShape());
  offsets[axis] = index;
  shape[axis] = 1;
  Value slice = c.slice(c.input(0), offsets, shape, strides);
  shape.erase(shape.begin() + axis);
  return c.reshape(slice, shape);
}

/// GatherND by tuples that are computed, or choose irregularly.
LogicalResult gatherTuples(NodeConversion &c, int64_t batchDims) {
  RankedTensorType type = c.inputType(0);
  FailureOr<IndexTuples> layout = layOutTuples(c, type, c.input(1), batchDims);
  if (failed(layout)) {
    return failure();
  }
  Value data =
      c.reshape(c.transpose(c.input(0), layout->dataOrder), layout->dataShape);
  FailureOr<Value> rows = gatherRows(c, data, layout->indices, layout->aligned);
  if (failed(rows)) {
    return failure();
  }
  SmallVector<int64_t> points(c.inputType(1).getShape().drop_back()), ordered;
  llvm::append_range(
      points, ArrayRef(layout->pointShape).drop_front(layout->aligned + 1));
  for (int64_t dim : layout->pointOrder) {
    ordered.push_back(points[dim]);
  }
  c.setResult(0, c.transpose(c.reshape(*rows, ordered),
                             invertPermutationVector(layout->pointOrder)));
  return success();
}

} // namespace

FailureOr<SmallVector<int64_t>> countFromStart(const NodeConversion &c,
                                               ArrayRef<int64_t> indices,
                                               int64_t size) {
  SmallVector<int64_t> counted(indices);
  for (int64_t &index : counted) {
    if (index < -size || index >= size) {
      return c.error() << "expected indices from " << -size << " to "
                       << size - 1 << ", got " << index;
    }
    index += index < 0 ? size : 0;
  }
  return counted;
}

CountedIndex countFromStart(const NodeConversion &c, Value indices,
                            int64_t size) {
  Formula f(c, c.typeOf(indices));
  Value zero = f.number(0.0), end = f.number(static_cast<double>(size));
  Value value = f.select(f.less(indices, zero), f.add(indices, end), indices);
  Value exists = AndOp::create(c.builder, c.loc,
                               f.compare(ComparePredicate::GE, value, zero),
                               f.less(value, end));
  return {value, exists};
}

/// Rows of the table whose first dimension is `axis`, put back to where ONNX
/// wants them.
Value gatherAlong(const NodeConversion &c, Value value, int64_t axis,
                  Value indices, std::optional<int64_t> paddingRow) {
  int64_t rank = c.typeOf(value).getRank(),
          indexRank = c.typeOf(indices).getRank();
  SmallVector<int64_t> forward{axis};
  llvm::copy_if(llvm::seq<int64_t>(0, rank), std::back_inserter(forward),
                [&](int64_t dim) { return dim != axis; });
  Value table = c.transpose(value, forward);
  SmallVector<int64_t> shape(c.typeOf(indices).getShape());
  llvm::append_range(shape, c.typeOf(table).getShape().drop_front());
  Value gathered = GatherOp::create(
      c.builder, c.loc, c.typeOf(value).clone(shape), table, indices,
      paddingRow ? c.builder.getI64IntegerAttr(*paddingRow) : IntegerAttr());
  // (indices..., before..., after...) becomes (before..., indices...,
  // after...).
  SmallVector<int64_t> back =
      llvm::to_vector(llvm::seq(indexRank, indexRank + axis));
  llvm::append_range(back, llvm::seq<int64_t>(0, indexRank));
  llvm::append_range(back, llvm::seq(indexRank + axis, indexRank + rank - 1));
  return c.transpose(gathered, back);
}

/// By indices of which nobody knows whether they exist, and which may count
/// from the end.
static LogicalResult gatherAny(NodeConversion &c, int64_t axis, Value indices,
                               std::optional<int64_t> paddingRow) {
  int64_t rank = c.inputType(0).getRank(),
          count = c.typeOf(indices).getNumElements();
  SmallVector<int64_t> forward{axis}, shape(c.typeOf(indices).getShape());
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != axis) {
      forward.push_back(dim);
      shape.push_back(c.inputType(0).getDimSize(dim));
    }
  }
  FailureOr<Value> rows =
      gatherRows(c, c.transpose(c.input(0), forward),
                 c.reshape(indices, {count}), 0, paddingRow);
  if (failed(rows)) {
    return failure();
  }
  // (indices..., before..., after...) becomes (before..., indices...,
  // after...).
  int64_t indexRank = c.typeOf(indices).getRank();
  SmallVector<int64_t> back =
      llvm::to_vector(llvm::seq(indexRank, indexRank + axis));
  llvm::append_range(back, llvm::seq<int64_t>(0, indexRank));
  llvm::append_range(back, llvm::seq(indexRank + axis, indexRank + rank - 1));
  c.setResult(0, c.transpose(c.reshape(*rows, shape), back));
  return success();
}

LogicalResult convertGather(NodeConversion &c) {
  FailureOr<int64_t> axis =
      c.normalizeAxis(c.getInt("axis", 0), c.inputType(0).getRank());
  if (failed(axis)) {
    return failure();
  }
  if (!c.isIndexTensor(c.inputType(1))) {
    return c.error() << "expected INT32 or INT64 indices, got "
                     << c.inputType(1);
  }
  FailureOr<Value> indices =
      normalizeIndices(c, c.input(1), c.inputType(0).getDimSize(*axis));
  if (failed(indices)) {
    return failure();
  }
  if (!c.state.infers && dividesByFrequency(c.node)) {
    return c.error() << "expected an embedding whose rows' gradients are sums, "
                        "got one with scale_grad_by_freq, whose gradients "
                        "depend on how often a row is looked up; export the "
                        "module with scale_grad_by_freq=False";
  }
  std::optional<int64_t> padding =
      findPaddingRow(c.node, c.inputType(0).getDimSize(*axis));
  // Data of an answer are not checked.
  bool isInside = c.state.known.isKnown(*indices) ||
                  (!c.state.infers &&
                   areInside(c, *indices, c.inputType(0).getDimSize(*axis)));
  if (!isInside) {
    return gatherAny(c, *axis, *indices, padding);
  }
  bool isSlice = !padding && c.inputType(1).getRank() == 0 &&
                 c.state.known.isKnown(*indices);
  c.setResult(
      0, isSlice
             ? sliceAt(c, *axis, c.state.known.evaluate(*indices).integers()[0])
             : gatherAlong(c, c.input(0), *axis, *indices, padding));
  return success();
}

LogicalResult convertGatherNd(NodeConversion &c) {
  RankedTensorType type = c.inputType(0), indexType = c.inputType(1);
  int64_t batchDims = c.getInt("batch_dims", 0);
  int64_t tuple = indexType.getRank() == 0 ? -1 : indexType.getShape().back();
  bool fits = c.isIndexTensor(indexType) && batchDims >= 0 && tuple >= 1 &&
              batchDims < indexType.getRank() &&
              batchDims + tuple <= type.getRank() &&
              type.getShape().take_front(batchDims) ==
                  indexType.getShape().take_front(batchDims);
  if (!fits) {
    return c.error() << "expected INT64 index tuples into " << type << " after "
                     << batchDims << " common dimensions, got " << indexType;
  }
  FailureOr<Value> view = viewOfTuples(c, c.input(0), c.input(1), batchDims);
  if (failed(view)) {
    return failure();
  }
  if (*view) {
    c.setResult(0, *view);
    return success();
  }
  if (c.state.known.isKnown(c.input(0)) && c.state.known.isKnown(c.input(1))) {
    SmallVector<int64_t> shape(indexType.getShape().drop_back());
    llvm::append_range(shape, type.getShape().drop_front(batchDims + tuple));
    c.setResult(0, GatherNdOp::create(c.builder, c.loc, type.clone(shape),
                                      c.input(0), c.input(1), batchDims));
    return success();
  }
  return gatherTuples(c, batchDims);
}

} // namespace accel::onnx
