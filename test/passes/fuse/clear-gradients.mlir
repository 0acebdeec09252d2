// RUN: accel-opt %s --accel-clear-gradients | FileCheck %s

accel.state @"model.decayed.master" : tensor<128xf32> {kind = "slot", bucket = "model", segment = "decayed", slot = "master", group = "decayed"}
accel.state @"model.decayed.gradient" : tensor<128xf32> {kind = "slot", bucket = "model", segment = "decayed", slot = "gradient", group = "decayed"}

// Gradient slots, and only those, are written first.
// CHECK-LABEL: func.func @step
// CHECK-NEXT: %[[ZERO:.+]] = accel.constant dense<0.000000e+00> : tensor<128xf32>
// CHECK-NEXT: accel.write @model.decayed.gradient, %[[ZERO]] : tensor<128xf32>
// CHECK-NEXT: return
func.func @step() {
  return
}
