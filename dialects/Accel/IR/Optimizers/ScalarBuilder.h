// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on scalars of a step: tensors of rank 0 in f64.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_SCALARBUILDER_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_SCALARBUILDER_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"

namespace accel {

/// Builds operations on f64 scalars at the insertion point of a builder.
/// Borrows: the builder.
class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc),
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

  mlir::Value add(mlir::Value left, mlir::Value right) {
    return AddOp::create(builder, loc, left, right);
  }
  mlir::Value sub(mlir::Value left, mlir::Value right) {
    return SubOp::create(builder, loc, left, right);
  }
  mlir::Value mul(mlir::Value left, mlir::Value right) {
    return MulOp::create(builder, loc, left, right);
  }
  mlir::Value div(mlir::Value left, mlir::Value right) {
    return DivOp::create(builder, loc, left, right);
  }
  mlir::Value min(mlir::Value left, mlir::Value right) {
    return MinOp::create(builder, loc, left, right);
  }
  mlir::Value max(mlir::Value left, mlir::Value right) {
    return MaxOp::create(builder, loc, left, right);
  }
  mlir::Value sqrt(mlir::Value operand) {
    return SqrtOp::create(builder, loc, operand);
  }
  mlir::Value cos(mlir::Value operand) {
    return CosOp::create(builder, loc, operand);
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

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::RankedTensorType type;
};

} // namespace accel

#endif
