// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows with the matrices that their indices choose.
#ifndef ACCEL_PASSES_LOWER_CPU_GROUPEDKERNEL_H
#define ACCEL_PASSES_LOWER_CPU_GROUPEDKERNEL_H

#include "passes/Lower/Loops/KernelEmitter.h"

namespace accel {

/// Writes the kernel of an accel.grouped_matmul or accel.grouped_outer, over
/// tiles of GroupedTiles.
void emitGroupedKernel(KernelEmitter &emitter, mlir::Operation *op);

} // namespace accel

#endif
