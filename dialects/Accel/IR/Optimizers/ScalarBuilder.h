// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on scalars of a step: tensors of rank 0 in f64.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_SCALARBUILDER_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_SCALARBUILDER_H

#include "dialects/Accel/IR/Optimizers/ArithmeticBuilder.h"

namespace accel {

/// Builds operations on f64 scalars at the insertion point of a builder.
/// Borrows: the builder.
class ScalarBuilder : public ArithmeticBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : ArithmeticBuilder(builder, loc),
        type(mlir::RankedTensorType::get({}, builder.getF64Type())) {}

  mlir::Value number(double value) {
    return ConstantOp::create(builder, loc, type,
                              mlir::DenseElementsAttr::get(type, value));
  }

  /// The value of state `name`.
  mlir::Value read(llvm::StringRef name) {
    return ReadOp::create(builder, loc, type, name);
  }
  void write(llvm::StringRef name, mlir::Value value) {
    WriteOp::create(builder, loc, name, value);
  }
  void report(llvm::StringRef metric, mlir::Value value) {
    MetricOp::create(builder, loc, metric, value);
  }

  /// The sum of `parts`, at least one, by a single reduction: its code does not
  /// depend on how many there are.
  mlir::Value sum(mlir::ArrayRef<mlir::Value> parts) {
    if (parts.size() == 1) {
      return parts.front();
    }
    auto row = mlir::RankedTensorType::get({1}, type.getElementType());
    auto rows =
        llvm::map_to_vector(parts, [&](mlir::Value part) -> mlir::Value {
          return ReshapeOp::create(builder, loc, row, part);
        });
    mlir::Value all = ConcatOp::create(
        builder, loc, row.clone({static_cast<int64_t>(parts.size())}), rows, 0);
    return ReduceSumOp::create(builder, loc, type, all,
                               mlir::ArrayRef<int64_t>{0});
  }

  /// left < right ? onTrue : onFalse
  mlir::Value selectLess(mlir::Value left, mlir::Value right,
                         mlir::Value onTrue, mlir::Value onFalse) {
    auto bools = mlir::RankedTensorType::get({}, builder.getI1Type());
    mlir::Value isLess = CompareOp::create(builder, loc, bools,
                                           ComparePredicate::LT, left, right);
    return SelectOp::create(builder, loc, type, isLess, onTrue, onFalse);
  }

private:
  mlir::RankedTensorType type;
};

} // namespace accel

#endif
