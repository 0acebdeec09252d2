// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transpose: verification, folds and gradient.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SplatConstant.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace accel;

/// The sizes of a tensor's dimensions in the order of a permutation.
static SmallVector<int64_t> permuted(ArrayRef<int64_t> values,
                                     ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result;
  for (int64_t dimension : permutation) {
    result.push_back(values[dimension]);
  }
  return result;
}

static bool isPermutation(ArrayRef<int64_t> values) {
  SmallVector<int64_t> sorted(values);
  llvm::sort(sorted);
  return llvm::equal(sorted, axisRange(0, values.size()));
}

void TransposeOp::build(OpBuilder &builder, OperationState &state,
                        Value operand, ArrayRef<int64_t> permutation) {
  auto type = RankedTensorType::get(permuted(shapeOf(operand), permutation),
                                    elementTypeOf(operand));
  build(builder, state, type, operand, permutation);
}

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getOperand());
  // transpose_c1
  if (failed(
          verifyLength(*this, "permutation", getPermutation(), shape.size()))) {
    return failure();
  }
  if (!isPermutation(getPermutation())) {
    return emitOpError() << "expected `permutation` to name every dimension of "
                            "`operand` once, got ["
                         << getPermutation() << "]";
  }
  // transpose_c2
  if (failed(verifyElementType(*this, "result", getResult(),
                               elementTypeOf(getOperand())))) {
    return failure();
  }
  return verifyShape(*this, "result", getResult(),
                     permuted(shape, getPermutation()));
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (!getStored() && getOperand().getType() == getType() &&
      llvm::is_sorted(getPermutation())) {
    return getOperand();
  }
  if (auto inner = getOperand().getDefiningOp<TransposeOp>();
      inner && !inner.getStored()) {
    setPermutation(permuted(inner.getPermutation(), getPermutation()));
    setOperand(inner.getOperand());
    return getResult();
  }
  return resizeSplat(adaptor.getOperand(), getType());
}

LogicalResult
TransposeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] = b.create<TransposeOp>(
      gradient, invertPermutationVector(getPermutation()));
  return success();
}
