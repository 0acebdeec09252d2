// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Shard.
#ifndef ACCEL_PASSES_SHARD_PASSES_TD
#define ACCEL_PASSES_SHARD_PASSES_TD
include "mlir/Pass/PassBase.td"

def AssignBucketsPass : Pass<"accel-assign-buckets", "mlir::ModuleOp"> {
  let summary = "lays parameters, gradients and optimizer state out in flat segments";
  let description = [{
    Gathers parameters into buckets: one per repeated block of the model, one for what comes before the blocks, one for what
    comes after; a model without repetition is one bucket. Blocks are found by structure: the longest repetition in the
    sequence of parameters, in the order of their first use, each described by its type and by what reads it. Inside a
    bucket, parameters of one optimizer group form a segment: decayed (trainable, of rank `decay-rank` or more), undecayed,
    frozen. A parameter lies at a multiple of 16 elements; a segment is a multiple of the granule, 128.

    Declares `accel.bucket`s and the slots of segments (master and, for trainable ones, gradient and what the optimizer
    keeps), gives every parameter its `segment` and `offset`, and lets `@init` write the optimizer's slots.

    **Requires** `@step` and `@init` as Accumulate leaves them; trainable parameters are f32.
    **Ensures** what VerifyShard checks; a remark (analysis) for each bucket.

    ```mlir
    accel.parameter @w : tensor<16x8xf32> trainable {segment = @"model.decayed.master", offset = 0 : i64}
    accel.bucket @model {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 128 elements of @w> ] }
    accel.state @"model.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
    ```
  }];
  let options = [Option<"decayRank", "decay-rank", "int64_t", "2", "Parameters of this rank or more decay">];
  let dependentDialects = ["::accel::AccelDialect"];
}

def ShardStatesPass : Pass<"accel-shard-states", "mlir::ModuleOp"> {
  let summary = "says of every slot what a rank holds of it";
  let description = [{
    Sets `dist.held` of the slots of all segments, by mode:

    | mode | master | gradient | what the optimizer keeps |
    |---|---|---|---|
    | plain | | | |
    | zero1 | whole | whole | part |
    | zero2 | whole | part | part |
    | fsdp | part | part | part |

    Masters of frozen segments have no `dist.held` in zero1 and zero2: nobody updates them.

    **Requires** slots as AssignBuckets declares them.
    **Ensures** what VerifyShard checks.

    ```mlir
    accel.state @"model.decayed.first_moment" slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>, dist.held = #dist.held<part>}
    ```
  }];
  let options = [Option<"mode", "mode", "::accel::dist::ShardingMode", "::accel::dist::ShardingMode::Plain", "Of which slots ranks hold parts", [{
      ::llvm::cl::values(clEnumValN(::accel::dist::ShardingMode::Plain, "plain", "of none"),
                         clEnumValN(::accel::dist::ShardingMode::Zero1, "zero1", "of what the optimizer keeps"),
                         clEnumValN(::accel::dist::ShardingMode::Zero2, "zero2", "of gradients, too"),
                         clEnumValN(::accel::dist::ShardingMode::FSDP, "fsdp", "of parameters, too"))
    }]>];
  let dependentDialects = ["::accel::dist::DistDialect"];
}

def ExpandUpdatePass : Pass<"accel-expand-update", "mlir::ModuleOp"> {
  let summary = "writes the optimizer in operations on flat segments";
  let description = [{
    Replaces `accel.update` by arithmetic: the learning rate of the step, the norm of the gradient and the clipping factor as
    f64 scalars; then, for each trainable segment, one run of element-wise operations in f32 that reads its slots and writes
    them back. Squares are summed in f32 over rows of 128 elements, rows in f64, so that the order of summation is that of
    the layout and of nothing else. Where gradients are cut over ranks, a rank has the squares of its parts: their sum goes
    through a state of kind `partial`, which Partition sums over the ranks.

    With s the step from 0, W `warmup_steps`, H `schedule_steps`, D `decay_steps`:

    | | learning rate |
    |---|---|
    | s < W | lr (s + 1) / W |
    | constant (`schedule` 0) | lr |
    | linear (1) | min_lr + (lr - min_lr) (1 - t), t = clamp((s - W) / max(1, H - W), 0, 1) |
    | cosine (2) | min_lr + (lr - min_lr) (1 + cos(pi t)) / 2 |
    | wsd (3) | lr + (min_lr - lr) t, t = clamp((s - (H - D)) / max(1, D), 0, 1) |

    The update takes effect only where the sum of the losses (`loss_sum`) and that of the squares are finite. Every rank has the
    same sums, so all decide alike. Parameters, what the optimizer keeps and its powers are written as `select(finite, new, old)`:
    the bits of a finite step are those of the arithmetic, and no copy of the state is made. `step_count` advances in any case, as
    the data do; `skipped_steps` counts the others.

    Gradients whose norm is above `clip_norm` are scaled down to it; 0 stands for no bound. A module without `schedule` has a
    constant one, without `clip_norm` no bound.

    **Requires** buckets as AssignBuckets leaves them.
    **Ensures** no `accel.update` is left; metrics `lr`, `grad_norm` (before clipping) and `finite` (1, or 0 where nothing was updated) are
    reported; counters advance.

    ```mlir
    accel.state @"model.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
    accel.state @"model.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
    func.func @step() attributes {accel.role = #accel.role<step>} {
      %p = accel.read @"model.decayed.master" : tensor<128xf32>
      %g = accel.read @"model.decayed.gradient" : tensor<128xf32>
      %rate = accel.constant dense<0.1> : tensor<128xf32>
      %change = accel.mul %g, %rate : tensor<128xf32>
      %next = accel.sub %p, %change : tensor<128xf32>
      accel.write @"model.decayed.master", %next : tensor<128xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["::accel::AccelDialect"];
}

def VerifyShardPass : Pass<"accel-verify-shard", "mlir::ModuleOp"> {
  let summary = "verifies the module after Shard";
  let description = [{
    Every parameter lies inside exactly one segment, aligned, apart from the others; segments, slots and buckets agree; a
    segment is uniform in type and group; the slots of a segment are held as one of the modes holds them, and all segments
    in the same mode; no `accel.update` is left. A step writes a parameter, what the optimizer keeps of it, or a power of the
    optimizer at most once, and what it writes is chosen, by the condition that metric `finite` reports, between a new value and
    the one that the state holds.

    **Requires** nothing.
    **Ensures** changes nothing.
  }];
}
#endif
