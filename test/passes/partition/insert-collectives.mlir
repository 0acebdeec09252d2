// RUN: accel-opt %s --accel-insert-collectives --accel-verify-partition | FileCheck %s
// The phase is the same two passes.
// RUN: accel-opt %s --accel-partition | FileCheck %s

// Sums of losses and targets come first, because the scale of the mean waits for them; then the gradients of segments, in
// the order of buckets. Nothing else is exchanged: not the parameters, not the optimizer's moments.
accel.state @loss_sum accumulator : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @"b.decayed.first_moment" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>}
accel.state @target_count accumulator : tensor<f64>

// CHECK-LABEL: func @step
// CHECK: accel.repeat
// CHECK: }
// CHECK-NEXT: dist.all_reduce [@loss_sum, @target_count, @b.decayed.gradient] over ["replica", "fsdp"]
// CHECK-NEXT: accel.read @loss_sum
// CHECK-NOT: dist.
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.constant dense<1.0> : tensor<f64>
  accel.repeat {
    accel.accumulate @target_count, %x : tensor<f64>
    accel.accumulate @loss_sum, %x : tensor<f64>
  }
  %loss = accel.read @loss_sum : tensor<f64>
  accel.metric "loss", %loss : tensor<f64>
  %gradient = accel.read @"b.decayed.gradient" : tensor<128xf32>
  return
}
