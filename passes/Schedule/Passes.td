// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Schedule: lanes and events.
#ifndef ACCEL_PASSES_SCHEDULE_PASSES_TD
#define ACCEL_PASSES_SCHEDULE_PASSES_TD
include "mlir/Pass/PassBase.td"

def AssignLanesPass : Pass<"accel-assign-lanes", "::mlir::ModuleOp"> {
  let summary = "says which lane executes each instruction";
  let description = [{
    Fetches, collectives and metrics go to the communication lane, everything else to the compute lane. Metrics are moved to the end of
    the function, where they keep nobody waiting.

    Requires: Fuse. Ensures: every instruction has the attribute `lane`.
  }];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def InsertEventsPass : Pass<"accel-insert-events", "::mlir::ModuleOp"> {
  let summary = "orders the lanes by events where they touch the same bytes";
  let description = [{
    Every two accesses to overlapping bytes on different lanes, one of them a write, get ordered: the earlier instruction
    signals an event that the later one waits for, in the same iteration of the loop or some iterations later. Events that
    others imply are removed.

    Requires: AssignLanes. Ensures: no hazard; removing any event makes one.
  }];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def VerifySchedulePass : Pass<"accel-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "proves that any two conflicting accesses are ordered";
  let description = [{
    Any two accesses to overlapping bytes, at least one of them a write, are ordered by lanes and events, and every wait
    has an earlier signal. Otherwise both instructions are named.

    Requires: InsertEvents. Changes nothing.
  }];
}
#endif
