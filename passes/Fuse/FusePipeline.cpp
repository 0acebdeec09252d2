// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of the phase Fuse.
#include "passes/Fuse/FusePipeline.h"

#include "passes/Fuse/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void accel::buildFusePipeline(mlir::OpPassManager &pm) {
  pm.addPass(createExpandCompositesPass());
  pm.addPass(createClearGradientsPass());
  // Composites expand into the same subexpressions (masks, indices) over and over.
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(mlir::createCSEPass());
  pm.addPass(createOutlineKernelsPass());
  pm.addPass(createAssignBuffersPass());
  pm.addPass(createVerifyFusePass());
}
