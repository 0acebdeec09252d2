// RUN: split-file %s %t
// RUN: cat %t/states.mlir %t/zero1.mlir %t/step.mlir | accel-opt --accel-expand-update | FileCheck %t/step.mlir
// RUN: cat %t/states.mlir %t/zero2.mlir %t/step.mlir | accel-opt --accel-expand-update | FileCheck %t/step.mlir
// Gradients that every rank has all of need no sum over ranks.
// RUN: cat %t/states.mlir %t/plain.mlir %t/step.mlir | accel-opt --accel-expand-update | FileCheck %t/plain.mlir

//--- states.mlir
accel.state @lr hyperparameter : tensor<f64> {initial = 1.0e-3 : f64}
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @clip_norm hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>

//--- zero1.mlir
accel.state @m.decayed.master slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @m.decayed.gradient slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @m.decayed.momentum slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>, dist.held = #dist.held<part>}

//--- zero2.mlir
accel.state @m.decayed.master slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @m.decayed.gradient slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @m.decayed.momentum slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>, dist.held = #dist.held<part>}

//--- plain.mlir
// CHECK-NOT: "partial"
// CHECK: accel.metric "grad_norm"
accel.state @m.decayed.master slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @m.decayed.gradient slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @m.decayed.momentum slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}

//--- step.mlir
// The rank's squares go through a state that Partition sums; the norm is of what comes back, and so is the clipping.
// CHECK: accel.state @[[PARTIAL:.+]] partial : tensor<f64>
// CHECK-LABEL: func @step
// CHECK: %[[SUM:.+]] = accel.reduce_sum %{{.*}} [0] : tensor<2xf64> -> tensor<f64>
// CHECK-NEXT: accel.write @[[PARTIAL]], %[[SUM]] : tensor<f64>
// CHECK-NEXT: %[[ALL:.+]] = accel.read @[[PARTIAL]] : tensor<f64>
// CHECK-NEXT: %[[ROOT:.+]] = accel.sqrt %[[ALL]]
// CHECK-NEXT: %[[NORM:.+]] = accel.mul %[[ROOT]], %{{.*}}
// CHECK-NEXT: accel.metric "grad_norm", %[[NORM]]
// CHECK-NOT: @[[PARTIAL]]
// CHECK: accel.write @m.decayed.master
func.func @step(%s: tensor<f64>) {
  accel.update %s kind "sgd" : tensor<f64>
  return
}
