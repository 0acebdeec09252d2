// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of all kernels of a module, as loops over buffers.
#ifndef ACCEL_PASSES_LOWER_LOOPS_EMITKERNELS_H
#define ACCEL_PASSES_LOWER_LOOPS_EMITKERNELS_H

#include "passes/Lower/Loops/KernelEmitter.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace accel {

/// What targets write themselves.
struct KernelEmitters {
  /// For how many vector lanes a routine that elements call exists besides its
  /// form for one element.
  llvm::ArrayRef<int64_t> routineLanes;
  llvm::function_ref<void(KernelEmitter &)> emitProduct;
  /// Products of rows with the matrices that they choose, of types that
  /// targets have code for.
  llvm::function_ref<void(KernelEmitter &, mlir::Operation *)> emitGrouped;
  llvm::function_ref<void(KernelEmitter &, AttentionOp)> emitAttention;
  llvm::function_ref<void(KernelEmitter &, AttentionGradOp)> emitAttentionGrad;
  /// Kernels of rows that are cut into something else; null: there are none.
  llvm::function_ref<void(KernelEmitter &)> emitUncutRows = nullptr;
};

/// Adds its code to every kernel of `module` that no library computes, as it is
/// cut in `variant`; empty: in the first of the module. An error names the
/// kernel and the operation that has no code.
mlir::LogicalResult emitKernels(mlir::ModuleOp module, llvm::StringRef variant,
                                const KernelEmitters &target);

} // namespace accel

#endif
