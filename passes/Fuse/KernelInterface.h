// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel reads and what others use of it.
#ifndef ACCEL_PASSES_FUSE_KERNELINTERFACE_H
#define ACCEL_PASSES_FUSE_KERNELINTERFACE_H

#include "passes/Fuse/FusionPlan.h"

#include "llvm/ADT/SetVector.h"

namespace accel {

/// The operands and results of a fusion group's kernel.
struct KernelInterface {
  /// Roots, since kernels take views themselves, or parts of them.
  llvm::SetVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> outputs;
  llvm::SmallVector<bool> accumulates; ///< by output: only `accumulate` uses it

  /// The interface of group `number`.
  static KernelInterface find(const FusionPlan &plan, unsigned number);
};

} // namespace accel

#endif
