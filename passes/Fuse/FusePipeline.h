// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of the phase Fuse.
#ifndef ACCEL_PASSES_FUSE_FUSEPIPELINE_H
#define ACCEL_PASSES_FUSE_FUSEPIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

/// From a sharded training step to instructions over buffers.
void buildFusePipeline(mlir::OpPassManager &pm);

} // namespace accel

#endif
