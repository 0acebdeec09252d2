// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of phase Partition.
#ifndef ACCEL_PASSES_PARTITION_PASSES_TD
#define ACCEL_PASSES_PARTITION_PASSES_TD
include "mlir/Pass/PassBase.td"

def InsertCollectivesPass : Pass<"accel-insert-collectives", "mlir::ModuleOp"> {
  let summary = "adds what ranks must exchange";
  let description = [{
    Plain data parallelism: every rank holds all parameters and accumulates gradients of its own microbatches. Behind the
    loop, the sums of losses and targets and every segment's gradient are summed over all ranks along the data axes, once a
    step. What follows, from the exact mean to the update, is the same on every rank.

    **Requires** `@step` as Shard leaves it: one loop, gradients in the slots of segments.
    **Ensures** what VerifyPartition checks.

    ```mlir
    accel.state @loss_sum : tensor<f64> {kind = "accumulator"}
    accel.state @"model.decayed.gradient" : tensor<128xf32> {kind = "slot", bucket = "model", segment = "decayed", slot = "gradient", group = "decayed"}
    func.func @step() {
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
    Every accumulator and every gradient slot is summed over the ranks exactly once, behind the loop that adds to it and in
    front of whatever reads it there.

    **Requires** nothing.
    **Ensures** changes nothing.
  }];
}
#endif
