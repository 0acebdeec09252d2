// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gradient rules are written with: operations of the dialect, built at
// the location of the operation whose gradient they compute, and constants and
// broadcasts in the shape of a neighbouring value.
#ifndef ACCEL_DIALECTS_ACCEL_IR_GRADIENTBUILDER_H
#define ACCEL_DIALECTS_ACCEL_IR_GRADIENTBUILDER_H

#include "dialects/Accel/IR/AccelOps.h"

namespace accel {

/// Builds the operations of one gradient rule.
///
/// Requires: all shapes are static, as they are after Import.
/// Borrows: the builder.
class GradientBuilder {
public:
  GradientBuilder(mlir::OpBuilder &builder, mlir::Operation *differentiated)
      : builder(builder), loc(differentiated->getLoc()) {}

  /// Builds any operation of the dialect; returns its first result.
  template <typename OpTy, typename... Args>
  mlir::Value create(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...)
        ->getResult(0);
  }

  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value div(mlir::Value lhs, mlir::Value rhs);
  mlir::Value neg(mlir::Value operand);
  mlir::Value exp(mlir::Value operand);
  mlir::Value select(mlir::Value condition, mlir::Value onTrue,
                     mlir::Value onFalse);
  mlir::Value compare(ComparePredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);

  /// The same with a number in every element of the other side.
  mlir::Value add(mlir::Value lhs, double rhs);
  mlir::Value mul(mlir::Value lhs, double rhs);
  mlir::Value compare(ComparePredicate predicate, mlir::Value lhs, double rhs);

  /// A constant of the type of `like` with `number` in every element.
  mlir::Value constant(mlir::Value like, double number);
  mlir::Value constant(mlir::Type type, double number);

  /// `value` where `condition` holds, zero elsewhere.
  mlir::Value keepWhere(mlir::Value condition, mlir::Value value);

  /// The sum over `axes`.
  mlir::Value sum(mlir::Value operand, llvm::ArrayRef<int64_t> axes);

  /// Undoes the shape change of a reduction over `axes`: repeats `reduced`
  /// along them, to the shape of `like`.
  mlir::Value spread(mlir::Value reduced, mlir::Value like,
                     llvm::ArrayRef<int64_t> axes);

  /// `operand` under the shape of `like`.
  mlir::Value reshapeLike(mlir::Value operand, mlir::Value like);

  /// The transpose of a broadcast: sums what `dimensions` repeated of a tensor
  /// of the shape of `operand`.
  mlir::Value sumToOperand(mlir::Value gradient, mlir::Value operand,
                           llvm::ArrayRef<int64_t> dimensions);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The integers from `begin` to `end - 1`.
llvm::SmallVector<int64_t> axisRange(int64_t begin, int64_t end);

/// The dimensions of a tensor of rank `rank` that are not in `axes`.
llvm::SmallVector<int64_t> otherAxes(int64_t rank,
                                     llvm::ArrayRef<int64_t> axes);

/// Whether a value is a tensor of floats: only those have gradients.
bool isFloatTensor(mlir::Value value);

/// Emits an error on `op` if `gradient`, that of its result `name`, is not
/// null: the rule knows the gradient of `differentiable` only.
mlir::LogicalResult refuseGradientOf(mlir::Operation *op, llvm::StringRef name,
                                     mlir::Value gradient,
                                     llvm::StringRef differentiable);

} // namespace accel

#endif
