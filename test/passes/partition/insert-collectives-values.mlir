// What the microbatches of an iteration have together is summed over the ranks where it stands, in front of who needs it.
// RUN: accel-opt %s --accel-insert-collectives --accel-verify-partition | FileCheck %s

accel.state @loss_sum accumulator : tensor<f64>

// CHECK-LABEL: func @step
// CHECK: accel.repeat
// CHECK: %[[OWN:.+]] = accel.neg
// CHECK-NEXT: %[[ALL:.+]] = dist.all_reduce_value %[[OWN]] over ["replica", "fsdp"] : tensor<f64>
// CHECK-NEXT: %[[MORE:.+]] = accel.add %[[OWN]], %[[ALL]]
// CHECK-NEXT: %[[SECOND:.+]] = dist.all_reduce_value %[[MORE]] over ["replica", "fsdp"] : tensor<f64>
// CHECK-NEXT: accel.accumulate @loss_sum, %[[SECOND]]
// CHECK: }
// CHECK-NEXT: dist.all_reduce [@loss_sum]
// CHECK-NOT: accel.sum_over_ranks
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.constant dense<1.0> : tensor<f64>
  accel.repeat {
    %own = accel.neg %x : tensor<f64>
    %all = accel.sum_over_ranks %own : tensor<f64>
    %more = accel.add %own, %all : tensor<f64>
    %second = accel.sum_over_ranks %more : tensor<f64>
    accel.accumulate @loss_sum, %second : tensor<f64>
  }
  return
}
