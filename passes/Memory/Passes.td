// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Memory.
#ifndef ACCEL_PASSES_MEMORY_PASSES_TD
#define ACCEL_PASSES_MEMORY_PASSES_TD
include "mlir/Pass/PassBase.td"

def AssignOffsetsPass : Pass<"accel-assign-offsets", "::mlir::ModuleOp"> {
  let summary = "gives every transient buffer its place in the arena";
  let description = [{
    Buffers that do not live at the same time share bytes. All functions use one arena per space; each function's attributes
    `plan.arena_bytes` and, where it has shared buffers, `plan.shared_arena_bytes` say how much of it.

    Requires: Schedule. Ensures: every transient buffer has an offset.
  }];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def VerifyMemoryPass : Pass<"accel-verify-memory", "::mlir::ModuleOp"> {
  let summary = "proves that buffers that live together do not overlap";
  let description = [{
    No two transient buffers that live at the same time share bytes, and all lie within the arena. Otherwise both are named.

    Requires: AssignOffsets. Changes nothing.
  }];
}
#endif
