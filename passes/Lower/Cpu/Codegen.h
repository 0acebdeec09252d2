// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From vectorised kernels to machine code for one kind of processor: a flat
// image without relocations or undefined symbols.
#ifndef ACCEL_PASSES_LOWER_CPU_CODEGEN_H
#define ACCEL_PASSES_LOWER_CPU_CODEGEN_H

#include "passes/Lower/TargetLowering.h"

namespace accel {

// A kernel is `void kernel(void *const *buffers, int64_t begin, int64_t end)`.
// An image may be mapped anywhere.

/// Makes a context ready for compileKernels, which may then be called from
/// several threads.
void prepareTranslation(mlir::MLIRContext &context);

/// Machine code of every function of a module in the LLVM dialect. An error
/// names what the code refers to outside itself. The same input gives the same
/// bytes.
mlir::FailureOr<CodeImage> compileKernels(mlir::ModuleOp codeModule,
                                          const CodeVariant &variant);

} // namespace accel

#endif
