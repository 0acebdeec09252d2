// RUN: split-file %s %t
// RUN: cat %t/states.mlir %t/zero1.mlir %t/step.mlir | accel-opt --accel-expand-update | FileCheck %t/step.mlir
// RUN: cat %t/states.mlir %t/zero2.mlir %t/step.mlir | accel-opt --accel-expand-update | FileCheck %t/step.mlir
// Gradients that every rank has all of need no sum over ranks.
// RUN: cat %t/states.mlir %t/plain.mlir %t/step.mlir | accel-opt --accel-expand-update | FileCheck %t/plain.mlir

//--- states.mlir
accel.state @lr : tensor<f64> {kind = "hyperparameter", initial = 1.0e-3 : f64}
accel.state @weight_decay : tensor<f64> {kind = "hyperparameter"}
accel.state @warmup_steps : tensor<f64> {kind = "hyperparameter"}
accel.state @momentum : tensor<f64> {kind = "hyperparameter"}
accel.state @clip_norm : tensor<f64> {kind = "hyperparameter"}
accel.state @step_count : tensor<f64> {kind = "counter"}

//--- zero1.mlir
accel.state @m.decayed.master : tensor<256xf32> {kind = "slot", bucket = "m", segment = "decayed", slot = "master", group = "decayed", dist.held = "whole"}
accel.state @m.decayed.gradient : tensor<256xf32> {kind = "slot", bucket = "m", segment = "decayed", slot = "gradient", group = "decayed", dist.held = "whole"}
accel.state @m.decayed.momentum : tensor<256xf32> {kind = "slot", bucket = "m", segment = "decayed", slot = "momentum", group = "decayed", dist.held = "part"}

//--- zero2.mlir
accel.state @m.decayed.master : tensor<256xf32> {kind = "slot", bucket = "m", segment = "decayed", slot = "master", group = "decayed", dist.held = "whole"}
accel.state @m.decayed.gradient : tensor<256xf32> {kind = "slot", bucket = "m", segment = "decayed", slot = "gradient", group = "decayed", dist.held = "part"}
accel.state @m.decayed.momentum : tensor<256xf32> {kind = "slot", bucket = "m", segment = "decayed", slot = "momentum", group = "decayed", dist.held = "part"}

//--- plain.mlir
// CHECK-NOT: "partial"
// CHECK: accel.metric "grad_norm"
accel.state @m.decayed.master : tensor<256xf32> {kind = "slot", bucket = "m", segment = "decayed", slot = "master", group = "decayed"}
accel.state @m.decayed.gradient : tensor<256xf32> {kind = "slot", bucket = "m", segment = "decayed", slot = "gradient", group = "decayed"}
accel.state @m.decayed.momentum : tensor<256xf32> {kind = "slot", bucket = "m", segment = "decayed", slot = "momentum", group = "decayed"}

//--- step.mlir
// The rank's squares go through a state that Partition sums; the norm is of what comes back, and so is the clipping.
// CHECK: accel.state @[[PARTIAL:.+]] : tensor<f64> {kind = "partial"}
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
