// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Schedule: streams and events.
#ifndef ACCEL_PASSES_SCHEDULE_PASSES_TD
#define ACCEL_PASSES_SCHEDULE_PASSES_TD
include "mlir/Pass/PassBase.td"

def MarkLayersPass : Pass<"accel-mark-layers", "::mlir::ModuleOp"> {
  let summary = "says for which layer of the model each instruction works";
  let description = [{
    An instruction that touches parameters, gradients or moments of one repeated block of the model, and of no other bucket, gets its
    `layer`: the number that Shard gave the block's bucket. In a loop what touches no state has that of the instruction before it:
    it computes between two uses of parameters. What touches several layers, or other states only, has none. Collectives that
    PlaceGathers and PlaceReductions make have the layer of what they exchange.

    Requires: Fuse; runs before PlaceGathers, while each bucket has memory of its own. Changes nothing but attributes.
  }];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def PlaceGathersPass : Pass<"accel-place-gathers", "::mlir::ModuleOp"> {
  let summary = "gathers one bucket at a time, one ahead of its use";
  let description = [{
    Places the `dist.all_gather` of the loop, which says that parameters can be read in it: one bucket is gathered at a time, into
    one of two buffers, or of as many as an instruction reads buckets. A bucket stays in its buffer from its first use to its last before as many
    others have been used; then it makes room, and comes back for its next use: so a layer's parameters are gathered for forward, freed, and gathered again
    for backward. A gather is placed where its buffer becomes free, which is where the bucket in the other buffer begins to be
    used: it is one ahead. The target says whose memory they lie in. They have room for `max-ranks` granules more than each
    segment's elements, as ranks may write equal parts. Where ranks share them, they say how much of them each bucket takes (`gathers`). `plan.max_ranks` of
    the module says for how many ranks, also where nothing is gathered: no run of the plan may have more.

    Requires: Fuse. Ensures: at most two buckets, or as many as an instruction reads, are whole at any instruction; every read of a parameter is of a buffer that
    holds it (VerifySchedule).
  }];
  let options = [Option<"maxRanks", "max-ranks", "int64_t", "1024", "Most ranks that buffers have room for">,
                 Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def PlaceReductionsPass : Pass<"accel-place-reductions", "::mlir::ModuleOp"> {
  let summary = "reduces the gradients of one bucket at a time";
  let description = [{
    Places the `dist.reduce_scatter` of the loop, which says that ranks sum what a microbatch adds to gradients: one bucket is
    summed at a time, in one of two buffers, or of as many as an instruction adds to buckets.
    The first instruction that adds to a part of a buffer stores it instead; the rest is filled with zeros. Behind the last
    instruction that adds to the bucket its gradients are summed over the ranks; the rank adds its part to what it holds
    before the buffer is used for another bucket, or at the end of the body. Of several such sums of a segment all but the first
    are added in the first microbatch, too.

    Requires: Fuse. Ensures: no gradient of a whole bucket outlives it.
  }];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def AssignStreamsPass : Pass<"accel-assign-streams", "::mlir::ModuleOp"> {
  let summary = "lists the streams of a rank and says which one executes each instruction";
  let description = [{
    Declares the streams that the target lists. Fetches go to the one of kind `host`, where they wait for no collective;
    collectives and metrics to the one of kind `communication`; everything else to the one of kind `compute`. A kind that an
    instruction needs and the target lacks is an error. Metrics are moved to the end of the
    function, where they keep nobody waiting.

    Requires: Fuse. Ensures: every instruction has the attribute `stream`, which names a `plan.stream` of the module.
  }];
  let options = [Option<"targetName", "target", "std::string", "\"cpu\"", "What the program is planned for: a list of code variants">];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def InsertEventsPass : Pass<"accel-insert-events", "::mlir::ModuleOp"> {
  let summary = "orders the streams by events where they touch the same bytes";
  let description = [{
    Every two accesses to overlapping bytes on different streams, one of them a write, get ordered: the earlier instruction
    signals an event that the later one waits for, in the same iteration of the loop or some iterations later. Events that
    others imply are removed.

    Requires: AssignStreams. Ensures: no hazard; removing any event makes one.
  }];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def MarkPhasesPass : Pass<"accel-mark-phases", "::mlir::ModuleOp"> {
  let summary = "says which part of its function each instruction belongs to";
  let description = [{
    Every instruction gets its `phase` (`#plan.phase`), for traces and reports. The first instruction of a step outside its loop, in program order,
    in front of which every gradient holds its sum, and the metric `gradient_scale` its value, gets `gradients_complete`: there
    gradients can be looked at before the update uses them.

    Requires: PlaceReductions, AssignStreams, which move instructions. Changes nothing but attributes.
  }];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def AnnotateCostsPass : Pass<"accel-annotate-costs", "::mlir::ModuleOp"> {
  let summary = "says what each instruction costs, and numbers the collectives";
  let description = [{
    Every instruction gets its `cost` (`#plan.cost`): bytes read and written, and of a launch the kernel's operations by the type
    that they compute in. Every collective gets its number among those of its function (`sequence`), by which ranks find that they
    are at the same one, and how many bytes a rank sends (`bytes_sent`, a `#plan.size`).

    Requires: the instructions are those of the plan, in its order. Changes nothing but attributes.
  }];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def AnnotateInfinitiesPass : Pass<"accel-annotate-infinities", "::mlir::ModuleOp"> {
  let summary = "says which infinities instructions may write although nothing is wrong";
  let description = [{
    Instructions get the list `infinities` (`#plan.infinity`) of accesses that may leave infinities because a mask has put them
    there. They begin in constants, and in the logarithm of a sum that attention takes over a row that its mask hides; operations
    of kernels pass them on, and memory does from the instruction that writes to those that read. What would become NaN, as
    an infinity in a product does, is not followed. A run whose loss or gradient is not finite takes every other
    infinity for a fault, and names its instruction.

    Requires: PlaceReductions, which gives launches other kernels. Changes nothing but attributes.
  }];
  let dependentDialects = ["::accel::plan::PlanDialect"];
}

def VerifySchedulePass : Pass<"accel-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "proves that any two conflicting accesses are ordered";
  let description = [{
    Any two accesses to overlapping bytes, at least one of them a write, are ordered by streams and events, for any number of
    iterations of the loop, and every wait has an earlier signal, which one instruction gives. Otherwise both instructions are
    named. The bytes are replayed with their last write and the reads since; what is ordered is found backwards from what each
    instruction leads to, where the solver carries vector clocks forwards and searches pairs. In program order every read of a buffer that buckets are
    gathered into finds there what it means to read, whosever memory it is, and gradients hold contributions of this step alone (see VerifyFuse).

    Every launch says what its kernel does with each buffer, and is cut as the kernel's code needs (see VerifyFuse).

    Either all instructions and the loop have a phase or none has; the phases of a function of the program follow from what its
    instructions are, where they stand and what they write. A step that changes gradients and has phases has one mark
    `gradients_complete`: it is the first place outside the loop behind all that changes a gradient, or the factor of the metric `gradient_scale`,
    before the update begins with a write of parameters or of the optimizer's state.

    Every instruction of the module runs on a stream that it declares, or none says yet where it runs. All instructions have a cost or
    none has; bytes are those of the types of operands, operations those of the kernel, and collectives are numbered in program order.
    Where one has a layer, every instruction that touches slots of one layer only names that one.
    A shared buffer says of each bucket that is gathered into it how much its segments take, and of no other.
    Every collective that moves a slot of a segment names that segment of a bucket of the module (`segment`).
    Where instructions have phases, they name the infinities that they may write, and no others.

    Requires: InsertEvents. Changes nothing.
  }];
}
#endif
