// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of the phase Memory.
#ifndef ACCEL_PASSES_MEMORY_MEMORYPIPELINE_H
#define ACCEL_PASSES_MEMORY_MEMORYPIPELINE_H

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

/// Gives every transient buffer a static offset and proves it right, for a list
/// of code variants.
void buildMemoryPipeline(mlir::OpPassManager &pm,
                         const std::string &target = "cpu");

} // namespace accel

#endif
