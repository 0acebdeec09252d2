// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Partition.
#ifndef ACCEL_PASSES_PARTITION_PASSES_TD
#define ACCEL_PASSES_PARTITION_PASSES_TD
include "mlir/Pass/PassBase.td"

def InsertCollectivesPass : Pass<"accel-insert-collectives", "mlir::ModuleOp"> {
  let summary = "adds what ranks must exchange";
  let description = [{
    What ranks exchange of a state follows from what they hold of it (`dist.held`):

    | state | held | exchange |
    |---|---|---|
    | sums of losses and targets | | summed over all ranks along the data axes, behind the loop |
    | gradient | | the same |
    | gradient | whole | behind the loop, summed to each rank its part |
    | gradient | part | at the end of the loop's body, what the microbatch added is summed to each rank its part |
    | a sum, or a maximum, of which ranks have shares | | summed over all ranks, or the largest of them, behind its write |
    | master | whole | gathered at the end of the step; not in a function that evaluates, which updates nothing |
    | master | part | gathered at the beginning of the loop's body |

    A value that the microbatches of an iteration have together (`accel.sum_over_ranks`) is summed over the data axes where it stands.

    This is what is exchanged, as a program that is right; when is Schedule's business, which takes what is in the loop apart
    into buckets and hides it behind computation.

    **Requires** `@step` as Shard leaves it: one loop, gradients in the slots of segments.
    **Ensures** what VerifyPartition checks.

    ```mlir
    accel.state @loss_sum accumulator : tensor<f64>
    accel.state @"model.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
    func.func @step() attributes {accel.role = #accel.role<step>} {
      accel.repeat {
      }
      dist.all_reduce [@loss_sum, @"model.decayed.gradient"] over ["replica", "fsdp"]
      return
    }
    ```
  }];
  let dependentDialects = ["::accel::dist::DistDialect"];
}

def VerifyPartitionPass : Pass<"accel-verify-partition", "mlir::ModuleOp"> {
  let summary = "verifies the module after Partition";
  let description = [{
    Every state is exchanged as that table says, once, along the axes of the data or of the shards. What the table says of a state is derived
    once more, from its kind, its slot and `dist.held`. Uses behind an exchange that must come in front of it, and the other
    way round, are errors. So is a value that is to be summed over ranks and is not, or elsewhere than in the loop, where alone ranks meet with one microbatch each.

    **Requires** nothing.
    **Ensures** changes nothing.
  }];
}
#endif
