// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of the phase Fuse.
#ifndef ACCEL_PASSES_FUSE_FUSEPIPELINE_H
#define ACCEL_PASSES_FUSE_FUSEPIPELINE_H

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

/// From a sharded training step to instructions over buffers, for a list of
/// code variants. `tf32`: their products of f32 may read TF32.
void buildFusePipeline(mlir::OpPassManager &pm,
                       const std::string &target = "cpu", bool tf32 = false);

} // namespace accel

#endif
