// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From code of loops, vectors and memory to the LLVM dialect, for any target.
#ifndef ACCEL_PASSES_LOWER_CONVERTTOLLVM_H
#define ACCEL_PASSES_LOWER_CONVERTTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"

namespace accel {

/// Functions of vectors, memrefs and scf become functions of the LLVM dialect
/// whose buffers are pointers; operations that are LLVM's already stay.
mlir::LogicalResult convertToLLVM(mlir::ModuleOp codeModule,
                                  mlir::TimingScope &timing);

} // namespace accel

#endif
