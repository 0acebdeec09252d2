// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a module says truly where its memory is fullest.
#ifndef ACCEL_PASSES_MEMORY_MEMORYCHECK_H
#define ACCEL_PASSES_MEMORY_MEMORYCHECK_H

#include "mlir/IR/BuiltinOps.h"

namespace accel {

/// Checks `plan.peak` and `plan.gathers_most` of `module`, whose functions have
/// arenas if AssignOffsets has seen them: counts the bytes of each buffer at
/// each instruction between its first access and its last. An error on the
/// module, or on the function that takes more.
llvm::LogicalResult checkMemoryTotals(mlir::ModuleOp module);

} // namespace accel

#endif
