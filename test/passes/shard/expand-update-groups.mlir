// RUN: accel-opt %s --accel-expand-update | FileCheck %s

// The scalars of a step are built once for each rate and decay, and segments that share them read the same; averages move towards what is written.
// CHECK-LABEL: func.func @step
// CHECK: %[[LR:.+]] = accel.read @lr
// CHECK: %[[TENTH:.+]] = accel.constant dense<1.000000e-01> : tensor<f64>
// CHECK-NEXT: %[[SLOW:.+]] = accel.mul %[[RATE:.+]], %[[TENTH]] : tensor<f64>
// CHECK-NEXT: %[[OWN:.+]] = accel.constant dense<5.000000e-01> : tensor<f64>
// CHECK: %[[DECAY:.+]] = accel.read @weight_decay
// CHECK-NEXT: %[[DECAY32:.+]] = accel.cast %[[DECAY]] : tensor<f64> -> tensor<f32>
// CHECK-NEXT: %[[OWN32:.+]] = accel.cast %[[OWN]] : tensor<f64> -> tensor<f32>
// CHECK: %[[RATE32:.+]] = accel.cast %[[RATE]] : tensor<f64> -> tensor<f32>
// CHECK-NEXT: %[[SLOW32:.+]] = accel.cast %[[SLOW]] : tensor<f64> -> tensor<f32>
// CHECK-NOT: -> tensor<f32>
// CHECK: accel.read @m.a.master
// CHECK: accel.broadcast %[[DECAY32]]
// CHECK: accel.broadcast %[[RATE32]]
// CHECK: accel.write @m.a.master, %[[A:.+]] : tensor<128xf32>
// CHECK: accel.read @m.b.master
// CHECK: accel.broadcast %[[OWN32]]
// CHECK: accel.broadcast %[[SLOW32]]
// CHECK: accel.write @m.b.master, %[[B:.+]] : tensor<128xf32>
// CHECK: accel.read @m.c.master
// CHECK: accel.broadcast %[[RATE32]]
// CHECK: accel.write @m.c.master
// CHECK: %[[ONE:.+]] = accel.constant dense<1.000000e+00> : tensor<f64>
// CHECK-NEXT: %[[EMA:.+]] = accel.read @ema
// CHECK-NEXT: %[[REST:.+]] = accel.sub %[[ONE]], %[[EMA]] : tensor<f64>
// CHECK-NEXT: %[[SHARE:.+]] = accel.cast %[[REST]] : tensor<f64> -> tensor<f32>
// CHECK-NEXT: %[[E:.+]] = accel.read @m.a.average
// CHECK-NEXT: %[[WAY:.+]] = accel.sub %[[A]], %[[E]]
// CHECK-NEXT: %[[SHARES:.+]] = accel.broadcast %[[SHARE]]
// CHECK-NEXT: %[[STEP:.+]] = accel.mul %[[WAY]], %[[SHARES]]
// CHECK-NEXT: %[[NEXT:.+]] = accel.add %[[E]], %[[STEP]]
// CHECK: %[[CHOSEN:.+]] = accel.select %{{.+}}, %[[NEXT]], %[[E]]
// CHECK: accel.write @m.a.average, %[[CHOSEN]]
// CHECK: accel.sub %[[B]],
// CHECK: accel.write @m.b.average
// CHECK: accel.write @m.c.average
accel.state @lr hyperparameter : tensor<f64>
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @ema hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
accel.parameter @w : tensor<4x4xf32> trainable {segment = @m.a.master, offset = 0 : i64}
accel.parameter @slow : tensor<4x4xf32> trainable {segment = @m.b.master, offset = 0 : i64, lr_factor = 0.1 : f64, weight_decay = 0.5 : f64}
accel.parameter @v : tensor<4xf32> trainable {segment = @m.c.master, offset = 0 : i64}
accel.state @m.a.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "a">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @m.a.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "a">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @m.a.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "a">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
accel.state @m.a.average slot : tensor<128xf32> {segment = #accel.segment_ref<@m "a">, slot = #accel.slot<optimizer : "average">, group = #accel.group<decayed>}
accel.state @m.b.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "b">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @m.b.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "b">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @m.b.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "b">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
accel.state @m.b.average slot : tensor<128xf32> {segment = #accel.segment_ref<@m "b">, slot = #accel.slot<optimizer : "average">, group = #accel.group<decayed>}
accel.state @m.c.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "c">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
accel.state @m.c.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "c">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>}
accel.state @m.c.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "c">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<undecayed>}
accel.state @m.c.average slot : tensor<128xf32> {segment = #accel.segment_ref<@m "c">, slot = #accel.slot<optimizer : "average">, group = #accel.group<undecayed>}
func.func @step(%scale: tensor<f64>) attributes {accel.role = #accel.role<step>} {
  accel.update %scale kind "sgd" : tensor<f64>
  return
}
