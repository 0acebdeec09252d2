// RUN: accel-opt %s --accel-expand-update | FileCheck %s

// What microbatches have accumulated for a statistic is added to it as it is, if the step is finite; it is no part of the gradient's norm.
accel.state @lr hyperparameter : tensor<f64> {initial = 1.0e-3 : f64}
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
accel.state @m.undecayed.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
accel.state @m.undecayed.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>}
accel.state @m.undecayed.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<undecayed>}
accel.state @m.statistic.master slot : tensor<256xf32> {segment = #accel.segment_ref<@m "statistic">, slot = #accel.slot<master>, group = #accel.group<statistic>}
accel.state @m.statistic.gradient slot : tensor<256xf32> {segment = #accel.segment_ref<@m "statistic">, slot = #accel.slot<gradient>, group = #accel.group<statistic>}

// CHECK-LABEL: func @step
// CHECK-NOT: @m.statistic
// CHECK: accel.metric "grad_norm"
// CHECK: %[[FINITE:.+]] = accel.and
// CHECK-NOT: @m.statistic
// CHECK: accel.write @m.undecayed.master
// CHECK: %[[OLD:.+]] = accel.read @m.statistic.master : tensor<256xf32>
// CHECK: %[[CHANGE:.+]] = accel.read @m.statistic.gradient : tensor<256xf32>
// CHECK: %[[NEW:.+]] = accel.add %[[OLD]], %[[CHANGE]]
// CHECK: %[[ALL:.+]] = accel.broadcast %[[FINITE]] []
// CHECK: %[[KEPT:.+]] = accel.select %[[ALL]], %[[NEW]], %[[OLD]]
// CHECK: accel.write @m.statistic.master, %[[KEPT]]
func.func @step(%scale: tensor<f64>) {
  accel.update %scale kind "sgd" : tensor<f64>
  return
}
