// RUN: accel-opt %s --accel-insert-init | FileCheck %s

// Random and constant values are written, those of files are not; every state gets its initial value.
// CHECK-LABEL: func @init()
// CHECK-NEXT: %[[SEED:.+]] = accel.input "seed" : tensor<i64>
// CHECK-NEXT: %[[RANDOM:.+]] = accel.random_normal %[[SEED]] mean 0.000000e+00 deviation 2.000000e-02 site 7 : tensor<i64> -> tensor<2x3xf32>
// CHECK-NEXT: accel.write @random, %[[RANDOM]]
// CHECK-NEXT: %[[ONES:.+]] = accel.constant dense<1.000000e+00> : tensor<3xf32>
// CHECK-NEXT: accel.write @ones, %[[ONES]]
// CHECK-NEXT: %[[NORMAL:.+]] = accel.random_normal %[[SEED]] mean 0.000000e+00 deviation 0.70710678118654757 site 9 : tensor<i64> -> tensor<2x3xf32>
// CHECK-NEXT: %[[ERF:.+]] = accel.erf %[[NORMAL]]
// CHECK-NEXT: %[[BOUND:.+]] = accel.constant dense<2.500000e-01>
// CHECK-NEXT: %[[UNIFORM:.+]] = accel.mul %[[ERF]], %[[BOUND]]
// CHECK-NEXT: accel.write @uniform, %[[UNIFORM]]
// CHECK-NOT: @file
// CHECK: %[[LR:.+]] = accel.constant dense<1.000000e-03> : tensor<f64>
// CHECK-NEXT: accel.write @lr, %[[LR]]
// CHECK: %[[ZERO:.+]] = accel.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT: accel.write @loss_sum, %[[ZERO]]
// CHECK-NEXT: return
accel.parameter @random : tensor<2x3xf32> trainable {initial = {kind = "normal", mean = 0.0 : f64, deviation = 0.02 : f64, site = 7 : i64}}
accel.parameter @ones : tensor<3xf32> trainable {initial = {kind = "constant", value = 1.0 : f64}}
accel.parameter @uniform : tensor<2x3xf32> trainable {initial = {kind = "uniform", bound = 0.25 : f64, site = 9 : i64}}
accel.parameter @file : tensor<3xf32> trainable {initial = {kind = "file", key = "file"}}
accel.state @lr hyperparameter : tensor<f64> {initial = 1.0e-3 : f64}
accel.state @loss_sum accumulator : tensor<f64>
