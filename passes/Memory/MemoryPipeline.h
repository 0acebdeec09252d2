// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of the phase Memory.
#ifndef ACCEL_PASSES_MEMORY_MEMORYPIPELINE_H
#define ACCEL_PASSES_MEMORY_MEMORYPIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

/// Gives every transient buffer a static offset and proves it right.
void buildMemoryPipeline(mlir::OpPassManager &pm);

} // namespace accel

#endif
