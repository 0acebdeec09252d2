// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows with the matrices that their indices choose: verification,
// cost and gradients.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

/// Verifies `rows` and `others`, two matrices of a row for each index.
static LogicalResult verifyMatrices(Operation *op, StringRef name, Value rows,
                                    StringRef otherName, Value others,
                                    Value indices) {
  if (failed(verifyRank(op, name, rows, 2)) ||
      failed(verifyRank(op, otherName, others, 2)) ||
      failed(verifyElementType(op, otherName, others, elementTypeOf(rows)))) {
    return failure();
  }
  int64_t count = shapeOf(rows)[0];
  return success(succeeded(verifyShape(op, otherName, others,
                                       {count, shapeOf(others)[1]})) &&
                 succeeded(verifyShape(op, "indices", indices, count)));
}

/// Verifies the matrices that indices choose, or a single one.
static LogicalResult verifyChosen(Operation *op, StringRef name, Value chosen,
                                  int64_t rows, int64_t columns, Type element) {
  if (failed(verifyElementType(op, name, chosen, element))) {
    return failure();
  }
  if (shapeOf(chosen).size() == 2) {
    return verifyShape(op, name, chosen, {rows, columns});
  }
  if (failed(verifyRank(op, name, chosen, 3))) {
    return failure();
  }
  return verifyShape(op, name, chosen, {shapeOf(chosen)[0], rows, columns});
}

LogicalResult GroupedMatmulOp::verify() {
  // grouped_matmul_c1
  if (failed(verifyMatrices(*this, "rows", getRows(), "result", getResult(),
                            getIndices()))) {
    return failure();
  }
  int64_t inner = shapeOf(getRows())[1], outer = shapeOf(getResult())[1];
  if (getTransposeWeights()) {
    std::swap(inner, outer);
  }
  return verifyChosen(*this, "weights", getWeights(), inner, outer,
                      elementTypeOf(getRows()));
}

LogicalResult GroupedOuterOp::verify() {
  // grouped_outer_c1
  if (failed(verifyMatrices(*this, "lhs", getLhs(), "rhs", getRhs(),
                            getIndices()))) {
    return failure();
  }
  Type element = elementTypeOf(getLhs()), sums = elementTypeOf(getResult());
  bool isSummedInF32 = element.getIntOrFloatBitWidth() == 16 && sums.isF32();
  return verifyChosen(*this, "result", getResult(), shapeOf(getLhs())[1],
                      shapeOf(getRhs())[1], isSummedInF32 ? sums : element);
}

/// A row of `left` times one of `right`, of every index.
static int64_t countFlops(Value left, Value right) {
  int64_t columns = shapeOf(right)[1];
  return ShapedType::isDynamic(columns) ? 0 : 2 * elementCount(left) * columns;
}

int64_t GroupedMatmulOp::getFlops() {
  return countFlops(getRows(), getResult());
}

int64_t GroupedOuterOp::getFlops() { return countFlops(getLhs(), getRhs()); }

LogicalResult
GroupedMatmulOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                               MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  bool turned = getTransposeWeights();
  operandGradients[0] = GroupedMatmulOp::create(
      builder, getLoc(), getRows().getType(), gradient, getWeights(),
      getIndices(), !turned, ProductRole::InputGradient, getSkipOthers());
  operandGradients[1] = GroupedOuterOp::create(
      builder, getLoc(), getWeights().getType(), turned ? gradient : getRows(),
      turned ? getRows() : gradient, getIndices(), getSkipOthers());
  return success();
}

LogicalResult
GroupedOuterOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                              MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  operandGradients[0] = GroupedMatmulOp::create(
      builder, getLoc(), getLhs().getType(), getRhs(), gradient, getIndices(),
      /*transpose_weights=*/true, ProductRole::Forward, getSkipOthers());
  operandGradients[1] = GroupedMatmulOp::create(
      builder, getLoc(), getRhs().getType(), getLhs(), gradient, getIndices(),
      /*transpose_weights=*/false, ProductRole::Forward, getSkipOthers());
  return success();
}
