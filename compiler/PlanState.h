// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What outlives a step: buckets with their segments and slots, and scalars.
#ifndef ACCEL_COMPILER_PLANSTATE_H
#define ACCEL_COMPILER_PLANSTATE_H

#include "compiler/PlanBuffers.h"
#include "compiler/PlanCollectives.h"
#include "dialects/Accel/IR/AccelOps.h"

namespace accel {

/// Borrows: everything that it is made of.
class PlanState {
public:
  PlanState(mlir::ModuleOp module, PlanBuffers &buffers,
            planpb::Manifest &manifest)
      : module(module), buffers(buffers), manifest(manifest) {}

  void addBuckets();
  /// States that belong to no segment, and of them hyperparameters once more.
  void addScalars();
  /// What the host gives a function to infer, and takes from it.
  void addTensors();

private:
  void setAxes(planpb::Slot &slot, planpb::Segment &segment, StateOp state);
  void addSlot(StateOp state, planpb::Segment &segment);
  void addTensor(StateOp state, planpb::Tensor &tensor);

  mlir::ModuleOp module;
  PlanBuffers &buffers;
  planpb::Manifest &manifest;
};

} // namespace accel

#endif
