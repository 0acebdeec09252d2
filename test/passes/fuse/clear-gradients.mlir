// RUN: accel-opt %s --split-input-file --accel-clear-gradients | FileCheck %s

accel.state @"model.decayed.master" : tensor<128xf32> {kind = "slot", bucket = "model", segment = "decayed", slot = "master", group = "decayed"}
accel.state @"model.decayed.gradient" : tensor<128xf32> {kind = "slot", bucket = "model", segment = "decayed", slot = "gradient", group = "decayed"}

// Gradient slots, and only those, are written by `init` and behind everything else in a step.
// CHECK-LABEL: func.func @init
// CHECK-NEXT: %[[ZERO:.+]] = accel.constant dense<0.000000e+00> : tensor<128xf32>
// CHECK-NEXT: accel.write @model.decayed.gradient, %[[ZERO]] : tensor<128xf32>
// CHECK-NEXT: return
func.func @init() {
  return
}
// CHECK-LABEL: func.func @step
// CHECK-NEXT: accel.read
// CHECK-NEXT: accel.write @model.decayed.master
// CHECK-NEXT: %[[ZERO:.+]] = accel.constant dense<0.000000e+00> : tensor<128xf32>
// CHECK-NEXT: accel.write @model.decayed.gradient, %[[ZERO]] : tensor<128xf32>
// CHECK-NEXT: return
func.func @step() {
  %g = accel.read @model.decayed.gradient : tensor<128xf32>
  accel.write @model.decayed.master, %g : tensor<128xf32>
  return
}

// -----

accel.state @"model.decayed.gradient" : tensor<128xf32> {kind = "slot", bucket = "model", segment = "decayed", slot = "gradient", group = "decayed"}

// Without `init` they are written first.
// CHECK-LABEL: func.func @step
// CHECK-NEXT: %[[ZERO:.+]] = accel.constant dense<0.000000e+00> : tensor<128xf32>
// CHECK-NEXT: accel.write @model.decayed.gradient, %[[ZERO]] : tensor<128xf32>
// CHECK-NEXT: return
func.func @step() {
  return
}
