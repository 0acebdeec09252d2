// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic that scalars and segments of an optimizer have in common.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_ARITHMETICBUILDER_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_ARITHMETICBUILDER_H

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"

namespace accel {

/// Builds element-wise operations at the insertion point of a builder.
/// Borrows: the builder.
class ArithmeticBuilder {
public:
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

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

protected:
  ArithmeticBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace accel

#endif
