// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of reductions; the mean is a sum and a division.
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// Axes came as an attribute before operator set 13 (ReduceSum) and 18 (the
/// others), as an input since.
FailureOr<SmallVector<int64_t>> getAxes(NodeConversion &c) {
  int64_t rank = c.inputType(0).getRank();
  SmallVector<int64_t> axes;
  if (std::optional<SmallVector<int64_t>> attribute = c.getInts("axes")) {
    axes = *attribute;
  } else if (c.hasInput(1)) {
    FailureOr<SmallVector<int64_t>> input = c.getConstantInts(1);
    if (failed(input)) {
      return failure();
    }
    axes = *input;
  }
  if (axes.empty() && !c.getInt("noop_with_empty_axes", 0)) {
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  }
  FailureOr<SmallVector<int64_t>> normalized = c.normalizeAxes(axes, rank);
  if (succeeded(normalized)) {
    llvm::sort(*normalized);
  }
  return normalized;
}

} // namespace

LogicalResult convertReduce(NodeConversion &c) {
  FailureOr<SmallVector<int64_t>> axes = getAxes(c);
  if (failed(axes)) {
    return failure();
  }
  RankedTensorType type = c.inputType(0);
  if (type.getElementType().isInteger(1)) {
    return c.error() << "expected numbers, got " << type;
  }
  if (axes->empty()) {
    c.setResult(0, c.input(0));
    return success();
  }
  SmallVector<int64_t> reduced, kept;
  double count = 1;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    bool gone = llvm::is_contained(*axes, dim);
    kept.push_back(gone ? 1 : size);
    if (gone) {
      count *= static_cast<double>(size);
    } else {
      reduced.push_back(size);
    }
  }
  Value result;
  if (c.node.op_type() == "ReduceMax") {
    result = ReduceMaxOp::create(c.builder, c.loc, type.clone(reduced),
                                 c.input(0), *axes);
  } else {
    result = ReduceSumOp::create(c.builder, c.loc, type.clone(reduced),
                                 c.input(0), *axes);
  }
  if (c.node.op_type() == "ReduceMean") {
    result = DivOp::create(c.builder, c.loc, result.getType(), result,
                           c.makeConstant(c.typeOf(result), count));
  }
  c.setResult(0, c.getInt("keepdims", 1) ? c.reshape(result, kept) : result);
  return success();
}

} // namespace accel::onnx
