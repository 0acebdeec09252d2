// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of the phase Fuse.
#include "passes/Fuse/FusePipeline.h"

#include "passes/Fuse/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void accel::buildFusePipeline(mlir::OpPassManager &pm,
                              const std::string &target, bool tf32) {
  pm.addPass(createNarrowConvolutionsPass({target}));
  pm.addPass(createPadProductsPass({target}));
  pm.addPass(createHoistPadsPass());
  pm.addPass(createLayOutProductsPass({target}));
  pm.addPass(createExpandCompositesPass({target}));
  // Not CSE: backward would read what forward computed from memory instead of
  // computing it again.
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(createSplitSumsPass({target}));
  pm.addPass(createSplitProductsPass({target}));
  pm.addPass(createRecomputeActivationsPass({target}));
  pm.addPass(createHoistSitesPass());
  pm.addPass(createLayOutAttentionPass());
  pm.addPass(createOutlineKernelsPass({target}));
  pm.addPass(createStoreGradientsPass());
  pm.addPass(createAssignBuffersPass());
  pm.addPass(createAssignGeometryPass({target, tf32}));
  pm.addPass(createVerifyFusePass());
}
