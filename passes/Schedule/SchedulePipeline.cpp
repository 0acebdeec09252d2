// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of the phase Schedule.
#include "passes/Schedule/SchedulePipeline.h"

#include "passes/Schedule/Passes.h"

#include "mlir/Pass/PassManager.h"

void accel::buildSchedulePipeline(mlir::OpPassManager &pm) {
  pm.addPass(createAssignLanesPass());
  pm.addPass(createInsertEventsPass());
  pm.addPass(createVerifySchedulePass());
}
