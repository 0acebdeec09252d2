// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Memory.
#ifndef ACCEL_PASSES_MEMORY_PASSES_TD
#define ACCEL_PASSES_MEMORY_PASSES_TD
include "mlir/Pass/PassBase.td"

def AssignOffsetsPass : Pass<"accel-assign-offsets", "::mlir::ModuleOp"> {
  let summary = "gives every transient buffer its place in the arena";
  let description = [{
    Buffers that do not live at the same time share bytes: one must be done with, on every stream that uses it, before the other
    is first used, in the same iteration of the loop and in the next, by the order of streams and events. What the ranks of a
    host gather into shares nothing. All functions use one arena per space; each function's attributes `plan.arena_bytes` and,
    where it has shared buffers, `plan.shared_arena_bytes` say how much of it.

    Every buffer gets the alignment that the target asks for. The module's attribute `plan.peak` says at which instruction of the
    program most bytes of buffers are in use, and `plan.gathers_most` which of its functions gathers buckets into the most memory
    that ranks share, if one does.

    Requires: Schedule. Ensures: every transient buffer has an offset, a multiple of its alignment.
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def VerifyMemoryPass : Pass<"accel-verify-memory", "::mlir::ModuleOp"> {
  let summary = "proves that no transient buffer's contents are lost in the arena";
  let description = [{
    Replays each function over the bytes of the arena, for one iteration of its loop and for several, without lifetimes: in program
    order every read finds all its bytes as its own buffer's last write has left them, no instruction has two buffers in the same
    bytes of which it writes one, and any two accesses of different buffers to the same bytes, one of them a write, are ordered by
    streams and events. Which streams and events order is found backwards from what each instruction leads to, where Schedule's
    solver carries vector clocks forwards. All buffers lie within the arena. Otherwise the two buffers are named, and the
    instructions. `plan.peak` and `plan.gathers_most` are true: the bytes are added up once more, at each instruction those of the
    buffers that are accessed up to it and from it on.

    Requires: AssignOffsets. Changes nothing.
  }];
}
#endif
