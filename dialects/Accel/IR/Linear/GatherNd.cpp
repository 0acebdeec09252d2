// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's GatherND: verification. It has no gradient, as Import folds it away.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

LogicalResult GatherNdOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getOperand());
  ArrayRef<int64_t> indices = shapeOf(getIndices());
  int64_t batch = getBatchDims();
  // gather_nd_c1
  if (failed(verifyMinimumRank(*this, "indices", getIndices(), 1))) {
    return failure();
  }
  int64_t tuple = indices.back();
  int64_t rank = shape.size();
  int64_t indexRank = indices.size();
  if (batch < 0 || batch >= indexRank || batch > rank) {
    return emitOpError()
           << "expected `batch_dims` to count leading dimensions of `operand` "
              "and, without the last, of `indices`, got "
           << batch;
  }
  if (ShapedType::isDynamic(tuple)) {
    return success();
  }
  if (tuple > rank - batch) {
    return emitOpError()
           << "expected index tuples of at most " << rank - batch
           << " elements, the rank of `operand` without `batch_dims`, got "
           << tuple;
  }
  // gather_nd_c2
  if (!llvm::equal(indices.take_front(batch), shape.take_front(batch), fits)) {
    return emitOpError() << "expected `indices` to begin with the batch "
                            "dimensions of `operand`, "
                         << shapeText(shape.take_front(batch)) << ", got "
                         << shapeText(indices.take_front(batch));
  }
  SmallVector<int64_t> expected(indices.drop_back());
  llvm::append_range(expected, shape.drop_front(batch + tuple));
  if (failed(verifyElementType(*this, "result", getResult(),
                               elementTypeOf(getOperand())))) {
    return failure();
  }
  return verifyShape(*this, "result", getResult(), expected);
}

LogicalResult GatherNdOp::buildGradient(OpBuilder &, ValueRange resultGradients,
                                        MutableArrayRef<Value>) {
  if (!resultGradients[0]) {
    return success();
  }
  return emitOpError(
      "expected to be folded away by Import, got a gradient: accel.gather_nd "
      "has none; compute `operand` and `indices` from constants, or take rows "
      "with accel.gather");
}
