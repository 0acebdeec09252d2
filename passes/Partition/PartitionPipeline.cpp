// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of phase Partition.
#include "passes/Partition/PartitionPipeline.h"

#include "passes/Partition/Passes.h"

#include "mlir/Pass/PassManager.h"

void accel::buildPartitionPipeline(mlir::OpPassManager &manager) {
  manager.addPass(createInsertCollectivesPass());
  manager.addPass(createVerifyPartitionPass());
}
