// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gradient rules are written with: operations of the dialect, built at
// the location of the operation whose gradient they compute.
#ifndef ACCEL_DIALECTS_ACCEL_IR_GRADIENTBUILDER_H
#define ACCEL_DIALECTS_ACCEL_IR_GRADIENTBUILDER_H

#include "dialects/Accel/IR/ArithmeticBuilder.h"

namespace accel {

/// Builds the operations of one gradient rule. Borrows: the builder.
class GradientBuilder : public ArithmeticBuilder {
public:
  GradientBuilder(mlir::OpBuilder &builder, mlir::Operation *differentiated)
      : ArithmeticBuilder(builder, differentiated->getLoc()) {}

  /// The transpose of a broadcast: sums what `dimensions` repeated of a tensor
  /// of the shape of `operand`.
  Value sumToOperand(Value gradient, Value operand,
                     llvm::ArrayRef<int64_t> dimensions);
};

/// Whether a value is a tensor of floats: only those have gradients.
bool isFloatTensor(mlir::Value value);

/// Emits an error on `op` if `gradient`, that of its result `name`, is not
/// null: the rule knows the gradient of `differentiable` only.
mlir::LogicalResult refuseGradientOf(mlir::Operation *op, llvm::StringRef name,
                                     mlir::Value gradient,
                                     llvm::StringRef differentiable);

} // namespace accel

#endif
