// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns of a block that a thread computes instead of loading them.
#ifndef ACCEL_PASSES_LOWER_CUDA_COMPUTEDCOLUMNS_H
#define ACCEL_PASSES_LOWER_CUDA_COMPUTEDCOLUMNS_H

#include "passes/Lower/Cuda/WordBlock.h"
#include "passes/Lower/Loops/KernelEmitter.h"
#include "passes/Target/Cuda/TransposeTiles.h"

namespace accel {

/// Computes `tiles.blockRows` neighbours from each of `firsts` on, places in
/// the order of the kernel's rows; stores all its results but the one in
/// transposed order, and returns what that one has: a row for each of
/// `firsts`. All is loaded, as operands are that are read element by element,
/// before anything is stored. Requires: `tiles.turned`; what the kernel reads
/// and writes begins at multiples of `alignments` bytes, operands first; empty:
/// nothing is known.
WordBlock emitComputedColumns(KernelEmitter &emitter,
                              const TransposeTiles &tiles,
                              llvm::ArrayRef<mlir::Value> firsts,
                              llvm::ArrayRef<int64_t> alignments);

} // namespace accel

#endif
