// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the groups of one straight-line section by calls of kernel
// functions, whoever formed the groups.
#ifndef ACCEL_PASSES_FUSE_SECTIONOUTLINER_H
#define ACCEL_PASSES_FUSE_SECTIONOUTLINER_H

#include "passes/Fuse/FusionPlan.h"
#include "passes/Fuse/KernelLibrary.h"

namespace accel {

/// Borrows: the plan and the kernels.
class SectionOutliner {
public:
  SectionOutliner(const FusionPlan &plan, KernelLibrary &kernels)
      : plan(plan), kernels(kernels) {}

  /// Puts calls and what is in no kernel in front of `anchor`. Where kernels
  /// would wait for each other it emits an error that names them, and changes
  /// nothing.
  mlir::LogicalResult run(mlir::Operation *anchor);

private:
  void emitCall(unsigned number, mlir::Operation *anchor);
  void replaceOutput(unsigned number, mlir::Value output, mlir::Value result);

  const FusionPlan &plan;
  KernelLibrary &kernels;
  /// By number of the group.
  llvm::DenseMap<unsigned, KernelInterface> interfaces;
  /// What others read instead of a kernel's output: the result of its call.
  llvm::DenseMap<mlir::Value, mlir::Value> replaced;
};

} // namespace accel

#endif
