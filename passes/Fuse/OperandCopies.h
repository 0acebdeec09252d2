// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of operands that a kernel cannot read where they lie.
#ifndef ACCEL_PASSES_FUSE_OPERANDCOPIES_H
#define ACCEL_PASSES_FUSE_OPERANDCOPIES_H

#include "passes/Fuse/FusionPlan.h"

namespace accel {

/// Copies, each with a kernel of its own, which all that need one share.
/// Borrows: the plan and the target.
class OperandCopies {
public:
  OperandCopies(FusionPlan &plan, const Target &target)
      : plan(plan), target(target) {}

  /// Makes `user` read a copy of `value` instead of the views that make it.
  void copy(mlir::Value value, mlir::Operation *user);
  /// Copies what a sink takes, which has to lie in one piece. A fill reads
  /// nothing.
  void copySinkOperand(mlir::Operation *sink);
  /// Copies what the target does not read where it lies, for a product or
  /// attention.
  void copyUnreadable(mlir::Operation *op);

private:
  FusionPlan &plan;
  const Target &target;
  llvm::DenseMap<mlir::Value, mlir::Operation *> copies;
};

} // namespace accel

#endif
