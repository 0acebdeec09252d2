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
  if (failed(verifyRows(*this, getTable(), "table", getIndices(), getResult(),
                        "result"))) {
    return failure();
  }
  // gather_c2
  int64_t rows = shapeOf(getTable()).front();
  int64_t padding = getPaddingRow().value_or(0);
  bool isDynamic = ShapedType::isDynamic(rows);
  if (getPaddingRow() && (padding < 0 || (!isDynamic && padding >= rows))) {
    return emitOpError() << "expected `padding_row` to be a row of `table`, 0 "
                            "to "
                         << rows - 1 << ", got " << padding;
  }
  return success();
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
  if (std::optional<uint64_t> padding = getPaddingRow()) {
    Value isTrained = b.compare(ComparePredicate::NE, getIndices(),
                                static_cast<double>(*padding));
    auto rows = cast<RankedTensorType>(gradient.getType());
    Value spread =
        b.create<BroadcastOp>(rows.clone(builder.getI1Type()), isTrained,
                              axisRange(0, shapeOf(getIndices()).size()));
    gradient = b.keepWhere(spread, gradient);
  }
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
