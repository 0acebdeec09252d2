// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that differ in what they do with their results only.
#ifndef ACCEL_PASSES_ANALYSIS_KERNELVARIANTS_H
#define ACCEL_PASSES_ANALYSIS_KERNELVARIANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace accel {

/// What a kernel does with a result.
enum class ResultMode {
  AsItIs, ///< what its attributes say
  Stored,
  Added,
  AddedIfKept, ///< where an argument is true, otherwise stored
};

/// Somebody who uses a kernel, and what it shall do with each of its results.
struct KernelUse {
  mlir::Operation *user;
  mlir::func::FuncOp kernel;
  llvm::SmallVector<ResultMode> results;
};

/// What `kernel` is but for its name: equal kernels have equal texts.
std::string getKernelText(mlir::func::FuncOp kernel);

/// Gives every user a kernel that does what it wants, by `assign`: the kernel
/// itself, changed, if all want the same, otherwise a copy for each wish
/// (`NAME_first`). Where that makes a kernel equal to another one, users get
/// the other one, and it is gone. A kernel that keeps what an argument says,
/// tensor<i1>, has that argument behind all others; one that no longer asks has
/// lost it. Requires: `uses` are all users of their kernels; a kernel has at
/// most one such argument, and nobody else reads it.
void assignVariants(
    mlir::SymbolTable &symbols, llvm::ArrayRef<KernelUse> uses,
    llvm::function_ref<void(mlir::Operation *, mlir::func::FuncOp)> assign);

} // namespace accel

#endif
