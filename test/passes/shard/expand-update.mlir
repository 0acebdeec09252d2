// RUN: split-file %s %t
// RUN: accel-opt %t/adamw.mlir --accel-expand-update | FileCheck %t/adamw.mlir
// RUN: accel-opt %t/sgd.mlir --accel-expand-update | FileCheck %t/sgd.mlir
// RUN: accel-opt %t/compute.mlir --accel-expand-update | FileCheck %t/compute.mlir

//--- adamw.mlir
accel.state @lr hyperparameter : tensor<f64> {initial = 1.0e-3 : f64}
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @beta1 hyperparameter : tensor<f64>
accel.state @beta2 hyperparameter : tensor<f64>
accel.state @eps hyperparameter : tensor<f64>
accel.state @clip_norm hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
accel.state @beta1_power counter : tensor<f64>
accel.state @beta2_power counter : tensor<f64>
accel.state @m.decayed.master slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @m.decayed.gradient slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @m.decayed.first_moment slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>}
accel.state @m.decayed.second_moment slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<optimizer : "second_moment">, group = #accel.group<decayed>}
// The rate; the norm: rows of 128 in f32, rows in f64; the clipping factor.
// CHECK-LABEL: func @step
// CHECK-SAME: %[[SCALE:.+]]: tensor<f64>
// CHECK: %[[GRADIENT:.+]] = accel.read @m.decayed.gradient : tensor<256xf32>
// CHECK: %[[SQUARES:.+]] = accel.mul %[[GRADIENT]], %[[GRADIENT]]
// CHECK: %[[ROWS:.+]] = accel.reshape %[[SQUARES]] : tensor<256xf32> -> tensor<2x128xf32>
// CHECK: %[[SUMS:.+]] = accel.reduce_sum %[[ROWS]] [1] : tensor<2x128xf32> -> tensor<2xf32>
// CHECK: %[[WIDE:.+]] = accel.cast %[[SUMS]] : tensor<2xf32> -> tensor<2xf64>
// CHECK: %[[SUM:.+]] = accel.reduce_sum %[[WIDE]] [0] : tensor<2xf64> -> tensor<f64>
// CHECK: %[[ROOT:.+]] = accel.sqrt %[[SUM]]
// CHECK: %[[NORM:.+]] = accel.mul %[[ROOT]], %[[SCALE]]
// CHECK: accel.metric "grad_norm", %[[NORM]]
// CHECK: accel.min
// CHECK: %[[FACTOR:.+]] = accel.mul %[[SCALE]]
// Whether the sums of losses and squares are finite; the data go on in any case.
// CHECK: %[[LOSSES:.+]] = accel.read @loss_sum
// CHECK: %[[ABS:.+]] = accel.abs %[[LOSSES]]
// CHECK: %[[GOOD:.+]] = accel.compare le, %[[ABS]], %{{.*}} : tensor<f64> -> tensor<i1>
// CHECK: accel.abs %[[SUM]]
// CHECK: %[[FINITE:.+]] = accel.and %[[GOOD]], %{{.*}} : tensor<i1>
// CHECK: accel.metric "lr"
// CHECK: %[[COUNT:.+]] = accel.add
// CHECK: accel.write @step_count, %[[COUNT]]
// CHECK: accel.select %[[FINITE]], %{{.*}}, %{{.*}} : tensor<i1>, tensor<f64>
// CHECK: accel.metric "finite"
// CHECK: accel.write @skipped_steps
// CHECK: %[[OLD:.+]] = accel.read @beta1_power
// CHECK: %[[POWER:.+]] = accel.mul %[[OLD]]
// CHECK: %[[KEPT:.+]] = accel.select %[[FINITE]], %[[POWER]], %[[OLD]]
// CHECK: accel.write @beta1_power, %[[KEPT]]
// CHECK: accel.write @beta2_power
// Scalars are rounded once, then one run of element-wise operations between reads and writes of the slots.
// CHECK: accel.cast %[[FACTOR]] : tensor<f64> -> tensor<f32>
// CHECK: accel.read @m.decayed.master
// CHECK: accel.read @m.decayed.gradient
// CHECK: accel.read @m.decayed.first_moment
// CHECK: accel.read @m.decayed.second_moment
// CHECK-NOT: accel.{{cast|reshape|reduce_sum}}
// CHECK: accel.write @m.decayed.first_moment
// CHECK: accel.write @m.decayed.second_moment
// CHECK: accel.write @m.decayed.master
// CHECK-NOT: accel.update
// CHECK: return
func.func @step(%s: tensor<f64>) {
  accel.update %s kind "adamw" : tensor<f64>
  return
}

//--- sgd.mlir
accel.state @lr hyperparameter : tensor<f64> {initial = 1.0e-3 : f64}
accel.state @schedule hyperparameter : tensor<f64> {initial = 2.0 : f64}
accel.state @min_lr hyperparameter : tensor<f64>
accel.state @schedule_steps hyperparameter : tensor<f64>
accel.state @decay_steps hyperparameter : tensor<f64>
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
accel.state @m.frozen.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}
accel.state @m.undecayed.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
accel.state @m.undecayed.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>}
accel.state @m.undecayed.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "undecayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<undecayed>}
// All schedules, of which one is chosen; no clipping; nothing decays, nothing frozen is touched.
// CHECK-LABEL: func @step
// CHECK: %[[KIND:.+]] = accel.read @schedule
// CHECK: accel.cos
// CHECK: accel.select
// CHECK: accel.select
// CHECK: accel.select
// CHECK: accel.metric "grad_norm"
// CHECK-NOT: @m.frozen
// CHECK: %[[P:.+]] = accel.read @m.undecayed.master
// CHECK: %[[G:.+]] = accel.read @m.undecayed.gradient
// CHECK: %[[SCALED:.+]] = accel.mul %[[G]]
// CHECK: %[[M:.+]] = accel.read @m.undecayed.momentum
// CHECK: %[[KEPT:.+]] = accel.mul %[[M]]
// CHECK: %[[NEXT:.+]] = accel.add %[[KEPT]], %[[SCALED]]
// CHECK: %[[FINITE:.+]] = accel.broadcast %{{.*}} [] : tensor<i1> -> tensor<128xi1>
// CHECK: %[[NEWM:.+]] = accel.select %[[FINITE]], %[[NEXT]], %[[M]]
// CHECK: accel.write @m.undecayed.momentum, %[[NEWM]]
// CHECK: %[[STEP:.+]] = accel.mul %[[NEXT]]
// CHECK: %[[Q:.+]] = accel.sub %[[P]], %[[STEP]]
// CHECK: %[[NEWP:.+]] = accel.select %{{.*}}, %[[Q]], %[[P]]
// CHECK: accel.write @m.undecayed.master, %[[NEWP]]
// CHECK-NEXT: return
func.func @step(%s: tensor<f64>) {
  accel.update %s kind "sgd" : tensor<f64>
  return
}

//--- compute.mlir
accel.state @lr hyperparameter : tensor<f64> {initial = 1.0e-3 : f64}
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
accel.state @m.low.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
accel.state @m.low.compute slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<compute>, group = #accel.group<undecayed>}
accel.state @m.low.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>}
accel.state @m.low.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<undecayed>}
accel.state @m.wide.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "wide">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
accel.state @m.wide.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "wide">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>}
accel.state @m.wide.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "wide">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<undecayed>}
// The update computes with the master. What microbatches read is not read: it is what the master becomes, rounded, so that a step
// that is not finite changes neither.
// CHECK-LABEL: func @step
// CHECK-NOT: accel.read @m.low.compute
// CHECK: %[[OLD:.+]] = accel.read @m.low.master : tensor<128xf32>
// CHECK: %[[NEW:.+]] = accel.select %{{.+}}, %{{.+}}, %[[OLD]] : tensor<128xi1>, tensor<128xf32>
// CHECK-NEXT: accel.write @m.low.master, %[[NEW]] : tensor<128xf32>
// CHECK-NEXT: %[[ROUNDED:.+]] = accel.cast %[[NEW]] : tensor<128xf32> -> tensor<128xbf16>
// CHECK-NEXT: accel.write @m.low.compute, %[[ROUNDED]] : tensor<128xbf16>
// CHECK: accel.write @m.wide.master
// CHECK-NEXT: return
func.func @step(%s: tensor<f64>) {
  accel.update %s kind "sgd" : tensor<f64>
  return
}
