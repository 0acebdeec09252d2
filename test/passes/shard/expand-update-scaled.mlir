// RUN: accel-opt %s --accel-expand-update | FileCheck %s
// RUN: grep -v @loss_scale_steps %s | not accel-opt --accel-expand-update 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected state 'loss_scale_steps', which optimizer sgd reads, got none

// The loss scale and its counters change by the condition under which everything else keeps its value.
// CHECK-LABEL: func @step
// CHECK: %[[FINITE:.+]] = accel.and
// CHECK: accel.metric "finite"
// CHECK: %[[SCALE:.+]] = accel.read @loss_scale : tensor<f64>
// CHECK: %[[OLDSTEPS:.+]] = accel.read @loss_scale_steps
// CHECK: %[[STEPS:.+]] = accel.add %[[OLDSTEPS]]
// CHECK: %[[OLDOVERFLOWS:.+]] = accel.read @loss_scale_overflows
// CHECK: %[[OVERFLOWS:.+]] = accel.add %[[OLDOVERFLOWS]]
// Half of it, at least 1, from an overflow on.
// CHECK: %[[HALF:.+]] = accel.max %{{.+}}, %{{.+}} : tensor<f64>
// CHECK: %[[FEW:.+]] = accel.compare lt, %[[OVERFLOWS]], %{{.+}}
// CHECK: %[[LOWERED:.+]] = accel.select %[[FEW]], %[[SCALE]], %[[HALF]]
// Twice of it after so many steps.
// CHECK: %[[TWICE:.+]] = accel.min %{{.+}}, %{{.+}} : tensor<f64>
// CHECK: %[[WINDOW:.+]] = accel.read @loss_scale_window
// CHECK: %[[GROWN:.+]] = accel.select %{{.+}}, %[[SCALE]], %[[TWICE]]
// CHECK: %[[NEXT:.+]] = accel.select %[[FINITE]], %[[GROWN]], %[[LOWERED]]
// CHECK: accel.write @loss_scale, %[[NEXT]]
// CHECK: accel.write @loss_scale_steps
// CHECK: %[[KEPT:.+]] = accel.select %{{.+}}, %[[OLDOVERFLOWS]], %{{.+}} : tensor<i1>, tensor<f64>
// CHECK: %[[COUNT:.+]] = accel.select %[[FINITE]], %[[KEPT]], %[[OVERFLOWS]]
// CHECK: accel.write @loss_scale_overflows, %[[COUNT]]
accel.state @lr hyperparameter : tensor<f64>
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
accel.state @loss_scale counter : tensor<f64>
accel.state @loss_scale_window hyperparameter : tensor<f64>
accel.state @loss_scale_hysteresis hyperparameter : tensor<f64>
accel.state @loss_scale_steps counter : tensor<f64>
accel.state @loss_scale_overflows counter : tensor<f64>
accel.state @m.undecayed.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
accel.state @m.undecayed.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>}
accel.state @m.undecayed.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<undecayed>}
func.func @step(%s: tensor<f64>) {
  accel.update %s kind "sgd" : tensor<f64>
  return
}
