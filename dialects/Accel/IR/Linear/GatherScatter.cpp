// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a table, taken (gather) and summed (scatter_add): verification and
// gradients.
#include "dialects/Accel/IR/GradientBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"

using namespace mlir;
using namespace accel;

/// The shape of `table`'s rows at `indices`.
static SmallVector<int64_t> rowsShape(Value table, Value indices) {
  SmallVector<int64_t> shape(shapeOf(indices));
  llvm::append_range(shape, shapeOf(table).drop_front());
  return shape;
}

/// Verifies that `rows`, called `rowsName`, are those of `table` at `indices`.
static LogicalResult verifyRows(Operation *op, Value table, StringRef tableName,
                                Value indices, Value rows, StringRef rowsName) {
  if (failed(verifyMinimumRank(op, tableName, table, 1)) ||
      failed(verifyElementType(op, rowsName, rows, elementTypeOf(table)))) {
    return failure();
  }
  return verifyShape(op, rowsName, rows, rowsShape(table, indices));
}

void GatherOp::build(OpBuilder &builder, OperationState &state, Value table,
                     Value indices) {
  auto type =
      RankedTensorType::get(rowsShape(table, indices), elementTypeOf(table));
  build(builder, state, type, table, indices);
}

LogicalResult GatherOp::verify() {
  // gather_c1
  return verifyRows(*this, getTable(), "table", getIndices(), getResult(),
                    "result");
}

LogicalResult ScatterAddOp::verify() {
  // scatter_add_c1
  return verifyRows(*this, getResult(), "result", getIndices(), getUpdates(),
                    "updates");
}

LogicalResult GatherOp::buildGradient(OpBuilder &builder,
                                      ValueRange resultGradients,
                                      MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[0] =
      b.create<ScatterAddOp>(getTable().getType(), getIndices(), gradient);
  return success();
}

LogicalResult
ScatterAddOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                            MutableArrayRef<Value> operandGradients) {
  Value gradient = resultGradients[0];
  if (!gradient) {
    return success();
  }
  GradientBuilder b(builder, *this);
  operandGradients[1] = b.create<GatherOp>(gradient, getIndices());
  return success();
}
