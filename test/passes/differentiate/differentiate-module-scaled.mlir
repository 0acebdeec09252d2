// RUN: accel-opt %s --accel-differentiate-module=loss-scale=torch | FileCheck %s --check-prefixes=CHECK,TORCH
// RUN: accel-opt %s --accel-differentiate-module=loss-scale=megatron | FileCheck %s --check-prefixes=CHECK,MEGATRON
// RUN: accel-opt %s --accel-differentiate-module=loss-scale=1000.1 | FileCheck %s --check-prefixes=CHECK,NUMBER
// RUN: not accel-opt %s --accel-differentiate-module=loss-scale=apex 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not accel-opt %s --accel-differentiate-module=loss-scale=inf 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: --loss-scale: expected torch, megatron or a number from 2^-126 to 2^127, got '{{apex|inf}}'

// The scale is state: the seed of the gradient, and nothing else, is multiplied by it. A scale that nobody changes is a hyperparameter, in
// f32 as the gradient is.
// TORCH: module attributes {accel.gradient_exponent = 2 : i64, accel.loss_scale = "torch"}
// TORCH: accel.state @loss_scale counter : tensor<f64> {initial = 6.553600e+04 : f64}
// MEGATRON: accel.loss_scale = "megatron"
// MEGATRON: accel.state @loss_scale counter : tensor<f64> {initial = 0x41F0000000000000 : f64}
// NUMBER: accel.loss_scale = "1000.1"
// NUMBER: accel.state @loss_scale hyperparameter : tensor<f64> {initial = 1000.0999755859375 : f64}
// CHECK-LABEL: func @microbatch
// CHECK-SAME: (%[[X:.+]]: tensor<4x5xf32> {accel.name = "x"}) {
// CHECK: %[[SCALE:.+]] = accel.read @loss_scale : tensor<f64>
// CHECK-NEXT: %[[PART:.+]] = accel.constant dense<2.500000e-01> : tensor<f64>
// CHECK-NEXT: %[[BOTH:.+]] = accel.mul %[[SCALE]], %[[PART]] : tensor<f64>
// CHECK-NEXT: %[[SINGLE:.+]] = accel.cast %[[BOTH]] : tensor<f64> -> tensor<f32>
// CHECK-NEXT: %[[SEED:.+]] = accel.broadcast %[[SINGLE]] [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: %[[GY:.+]] = accel.broadcast %[[SEED]] [0] : tensor<4xf32> -> tensor<4x6xf32>
// CHECK-NEXT: %[[GW:.+]] = accel.matmul %[[X]], %[[GY]] as weight_gradient
// CHECK-NEXT: accel.accumulate @w, %[[GW]]
// CHECK-NOT: @loss_scale
module {
  accel.parameter @w : tensor<5x6xf32> trainable
  func.func @microbatch(%x: tensor<4x5xf32> {accel.name = "x"}) -> (tensor<4xf32>, tensor<f64>, tensor<f64>) {
    %w = accel.read @w : tensor<5x6xf32>
    %y = accel.matmul %x, %w : tensor<4x5xf32>, tensor<5x6xf32> -> tensor<4x6xf32>
    %l = accel.reduce_sum %y [1] : tensor<4x6xf32> -> tensor<4xf32>
    %wide = accel.cast %l : tensor<4xf32> -> tensor<4xf64>
    %sum = accel.reduce_sum %wide [0] : tensor<4xf64> -> tensor<f64>
    %count = accel.constant dense<4.0> : tensor<f64>
    return %l, %sum, %count : tensor<4xf32>, tensor<f64>, tensor<f64>
  }
}
