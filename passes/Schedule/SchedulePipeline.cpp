// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes of the phase Schedule.
#include "passes/Schedule/SchedulePipeline.h"

#include "passes/Schedule/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace accel;

void accel::buildSchedulePipeline(mlir::OpPassManager &pm,
                                  const ScheduleOptions &options) {
  pm.addPass(createMarkLayersPass());
  pm.addPass(createPlaceGathersPass({options.maxRanks, options.target}));
  pm.addPass(createPlaceReductionsPass());
  pm.addPass(createAssignStreamsPass({options.target}));
  pm.addPass(createInsertEventsPass());
  pm.addPass(createMarkPhasesPass());
  pm.addPass(createAnnotateCostsPass());
  pm.addPass(createAnnotateInfinitiesPass());
  pm.addPass(createVerifySchedulePass());
}
