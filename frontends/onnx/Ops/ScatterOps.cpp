// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of operators that read or write single elements and rows at
// indices: GatherElements, ScatterElements, ScatterND; and NonZero, which finds
// indices.
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "frontends/onnx/Builders/ChosenRows.h"
#include "frontends/onnx/Builders/IndexTuples.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Model/Metadata.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The axis, once indices of as many dimensions as the data are there.
FailureOr<int64_t> getElementAxis(NodeConversion &c) {
  RankedTensorType type = c.inputType(0), indices = c.inputType(1);
  if (!NodeConversion::isIndexTensor(indices) ||
      indices.getRank() != type.getRank()) {
    return c.error() << "expected indices of 32 or 64 bits with "
                     << type.getRank() << " dimensions, got " << indices;
  }
  return c.normalizeAxis(c.getInt("axis", 0), type.getRank());
}

/// The part of the data that indices along `axis` can reach: from the first
/// element on, as many as there are indices in each dimension but the axis.
FailureOr<SmallVector<int64_t>> getReachedShape(NodeConversion &c,
                                                int64_t axis) {
  RankedTensorType type = c.inputType(0), indices = c.inputType(1);
  SmallVector<int64_t> shape(indices.getShape());
  shape[axis] = type.getDimSize(axis);
  for (auto [wanted, size] : llvm::zip_equal(shape, type.getShape())) {
    if (wanted > size) {
      return c.error() << "expected indices of at most the data's size in each "
                          "dimension but the axis, got "
                       << indices << " for " << type;
    }
  }
  return shape;
}

Value getFirst(NodeConversion &c, Value data, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
  return c.slice(data, offsets, shape, strides);
}

/// `data` with `first` in place of its first elements in each dimension.
Value replaceFirst(NodeConversion &c, Value data, Value first) {
  RankedTensorType type = c.typeOf(data);
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t i = 0; i < type.getRank(); ++i) {
    SmallVector<int64_t> offsets(type.getRank(), 0);
    SmallVector<int64_t> rest(c.typeOf(first).getShape());
    offsets[i] = rest[i];
    rest[i] = type.getDimSize(i) - offsets[i];
    if (rest[i] > 0) {
      first = c.concat({first, c.slice(data, offsets, rest, strides)}, i);
    }
  }
  return first;
}

/// Whether PyTorch takes the mean: the exporter writes 'none' for it without a
/// word.
bool takesMean(const pb::NodeProto &node) {
  // scatter_reduce(self, dim, index, src, reduce, include_self=True)
  std::optional<FxCall> call = getFxCall(node);
  return call && call->isAten("scatter_reduce") &&
         call->getArgument(4, "reduce") == "mean";
}

FailureOr<ScatterKind> getKind(NodeConversion &c) {
  StringRef reduction =
      takesMean(c.node) ? "mean" : c.getString("reduction", "none");
  auto kind = llvm::StringSwitch<std::optional<ScatterKind>>(reduction)
                  .Case("none", ScatterKind::Replace)
                  .Case("add", ScatterKind::Add)
                  .Case("mul", ScatterKind::Multiply)
                  .Case("max", ScatterKind::Max)
                  .Case("min", ScatterKind::Min)
                  .Default(std::nullopt);
  if (!kind) {
    return c.error() << "expected reduction 'none', 'add', 'mul', 'max' or "
                        "'min', got '"
                     << reduction << "'; "
                     << (reduction == "mean"
                             ? "divide scatter_reduce(.., 'sum') by the same "
                               "of ones in place of both tensors"
                             : "write it with torch.where");
  }
  bool isFloat = isa<FloatType>(c.inputType(0).getElementType());
  if (*kind > ScatterKind::Add && !isFloat) {
    return c.error() << "expected floats with reduction '" << reduction
                     << "', got " << c.inputType(0);
  }
  return *kind;
}

} // namespace

LogicalResult convertGatherElements(NodeConversion &c) {
  FailureOr<int64_t> axis = getElementAxis(c);
  if (failed(axis)) {
    return failure();
  }
  FailureOr<SmallVector<int64_t>> shape = getReachedShape(c, *axis);
  if (failed(shape)) {
    return failure();
  }
  int64_t rank = shape->size();
  SmallVector<int64_t> order = axisLast(rank, *axis);
  Value data = getFirst(c, c.input(0), *shape);
  FailureOr<Value> gathered = gatherRows(
      c, c.transpose(data, order), c.transpose(c.input(1), order), rank - 1);
  if (failed(gathered)) {
    return failure();
  }
  c.setResult(0, c.transpose(*gathered, invertPermutationVector(order)));
  return success();
}

LogicalResult convertScatterElements(NodeConversion &c) {
  FailureOr<int64_t> axis = getElementAxis(c);
  FailureOr<ScatterKind> kind = getKind(c);
  if (failed(axis) || failed(kind)) {
    return failure();
  }
  RankedTensorType type = c.inputType(0), indices = c.inputType(1),
                   updates = c.inputType(2);
  if (updates != type.clone(indices.getShape())) {
    return c.error() << "expected updates of the shape of the indices and the "
                        "type of the data, got "
                     << indices << " and " << updates << " for " << type;
  }
  FailureOr<SmallVector<int64_t>> shape = getReachedShape(c, *axis);
  if (failed(shape)) {
    return failure();
  }
  SmallVector<int64_t> order = axisLast(type.getRank(), *axis);
  Value data = getFirst(c, c.input(0), *shape);
  FailureOr<Value> scattered =
      scatterRows(c, c.transpose(data, order), c.transpose(c.input(1), order),
                  c.transpose(c.input(2), order), type.getRank() - 1, *kind);
  if (failed(scattered)) {
    return failure();
  }
  c.setResult(
      0, replaceFirst(c, c.input(0),
                      c.transpose(*scattered, invertPermutationVector(order))));
  return success();
}

LogicalResult convertScatterNd(NodeConversion &c) {
  FailureOr<ScatterKind> kind = getKind(c);
  if (failed(kind)) {
    return failure();
  }
  RankedTensorType type = c.inputType(0), tuples = c.inputType(1),
                   updates = c.inputType(2);
  int64_t each = tuples.getRank() == 0 ? -1 : tuples.getShape().back();
  SmallVector<int64_t> expected(tuples.getShape());
  if (NodeConversion::isIndexTensor(tuples) && each >= 1 &&
      each <= type.getRank()) {
    expected.pop_back();
    llvm::append_range(expected, type.getShape().drop_front(each));
  }
  if (updates != type.clone(expected)) {
    return c.error() << "expected index tuples into " << type
                     << " and updates of what they choose, got " << tuples
                     << " and " << updates;
  }
  FailureOr<IndexTuples> layout = layOutTuples(c, type, c.input(1), 0);
  if (failed(layout)) {
    return failure();
  }
  Value data = c.transpose(c.input(0), layout->dataOrder);
  SmallVector<int64_t> ordered(c.typeOf(data).getShape());
  Value rows = c.reshape(c.transpose(c.input(2), layout->pointOrder),
                         layout->pointShape);
  FailureOr<Value> scattered =
      scatterRows(c, c.reshape(data, layout->dataShape), layout->indices, rows,
                  layout->aligned, *kind);
  if (failed(scattered)) {
    return failure();
  }
  c.setResult(0, c.transpose(c.reshape(*scattered, ordered),
                             invertPermutationVector(layout->dataOrder)));
  return success();
}

LogicalResult convertNonZero(NodeConversion &c) {
  HostTensor tensor = c.state.known.evaluate(c.input(0));
  if (!tensor) {
    return c.error(codes::ComputedShape)
           << "expected values that do not depend on the model's inputs, as "
              "their number is a size, got computed ones; select with "
              "torch.where(condition, a, b)";
  }
  ArrayRef<int64_t> shape = tensor.getType().getShape();
  SmallVector<int64_t> strides = computeStrides(shape), found;
  for (int64_t at = 0; at < tensor.getNumElements(); ++at) {
    if (tensor.getAsDouble(at) != 0.0) {
      found.push_back(at);
    }
  }
  SmallVector<int64_t> indices;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    for (int64_t at : found) {
      indices.push_back(at / stride % size);
    }
  }
  if (indices.empty()) {
    return c.error() << "expected at least one element that is not 0, got none";
  }
  c.setResult(0, c.reshape(c.makeIntegers(indices),
                           {static_cast<int64_t>(shape.size()),
                            static_cast<int64_t>(found.size())}));
  return success();
}

} // namespace accel::onnx
