// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of the phase Memory.
#include "passes/Memory/MemoryPipeline.h"

#include "passes/Memory/Passes.h"

#include "mlir/Pass/PassManager.h"

void accel::buildMemoryPipeline(mlir::OpPassManager &pm,
                                const std::string &target) {
  pm.addPass(createAssignOffsetsPass({target}));
  pm.addPass(createVerifyMemoryPass());
}
