// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of a module, each distinct one stored once.
#ifndef ACCEL_PASSES_FUSE_KERNELLIBRARY_H
#define ACCEL_PASSES_FUSE_KERNELLIBRARY_H

#include "passes/Fuse/KernelInterface.h"
#include "passes/Fuse/KernelNames.h"
#include "passes/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// Builds the kernel functions of fusion groups.
/// Borrows: the module, which gets them, and the target.
class KernelLibrary {
public:
  KernelLibrary(mlir::ModuleOp module, const Target &target)
      : module(module), target(target), names(module) {}

  /// The kernel of `group`: an equal one of another group, if there is one.
  mlir::func::FuncOp get(const FusionPlan &plan, const FusionGroup &group,
                         const KernelInterface &interface);

private:
  mlir::func::FuncOp build(const FusionPlan &plan, const FusionGroup &group,
                           const KernelInterface &interface);

  mlir::ModuleOp module;
  const Target &target;
  KernelNames names;
  llvm::StringMap<mlir::func::FuncOp> known; ///< by text without names
};

} // namespace accel

#endif
