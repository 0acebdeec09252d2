// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the code of a kernel does with the memory behind each of its pointers:
// what a plan says of it, so that whoever loads the plan can check launches.
#ifndef ACCEL_PASSES_ANALYSIS_KERNELOPERANDS_H
#define ACCEL_PASSES_ANALYSIS_KERNELOPERANDS_H

#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/IterationDomain.h"

#include "llvm/ADT/SmallVector.h"

namespace accel {

struct KernelOperand {
  plan::Access access = plan::Access::Read;
  /// That all tiles together may touch, from the pointer on.
  int64_t bytes = 0;
  /// Tiles [a, b) touch bytes [a * tileBytes, min(b * tileBytes, bytes)) only;
  /// 0: any tile may touch any byte.
  int64_t tileBytes = 0;
};

/// Of one element in memory; booleans are bytes.
int64_t getStoredBytes(mlir::Type element);

/// One for every argument and result of code that is cut as `code` says.
/// Requires: IterationDomain::get accepts the kernel.
llvm::SmallVector<KernelOperand> getKernelOperands(mlir::func::FuncOp kernel,
                                                   plan::CodeAttr code);

/// The library's function that is the kernel's entry in `variant`; null if that
/// is code.
plan::LibraryCallAttr getLibraryCall(mlir::func::FuncOp kernel,
                                     llvm::StringRef variant);

/// How the kernel's work in `variant` is cut, which is not at all where a
/// library is called; an error on the kernel if it does not say.
mlir::FailureOr<plan::CodeAttr> getCode(mlir::func::FuncOp kernel,
                                        llvm::StringRef variant);

/// Whether it has a product of bf16, whose sums flush subnormal numbers.
bool flushesSubnormals(mlir::func::FuncOp kernel);

/// Bytes that the entry of some variant needs of each thread, at most.
int64_t getWorkspaceBytes(mlir::func::FuncOp kernel);

/// The same for each variant of its module, in the module's order; an
/// error on the kernel if it lacks one.
mlir::FailureOr<llvm::SmallVector<plan::CodeAttr>>
getCodeOfVariants(mlir::func::FuncOp kernel);

} // namespace accel

#endif
