// RUN: accel-opt %s --accel-differentiate-module --verify-diagnostics | FileCheck %s

// The gradient of the sum of losses times 2^-3: five targets need 2^3.
// CHECK: module attributes {accel.gradient_exponent = 3 : i64}
module {
  // A tied weight is accumulated once per use. Nothing is accumulated for what is frozen, and what does not influence the
  // loss is frozen from now on.
  // CHECK: accel.parameter @tied : tensor<5x5xf32> trainable
  accel.parameter @tied : tensor<5x5xf32> trainable
  accel.parameter @frozen : tensor<5x5xf32>
  // CHECK: accel.parameter @unused : tensor<3xf32>
  // CHECK-NOT: trainable
  // expected-warning@below {{parameter 'unused' does not influence the loss; it keeps its value}}
  accel.parameter @unused : tensor<3xf32> trainable
  // CHECK-DAG: accel.state @loss_sum accumulator : tensor<f64>
  // CHECK-DAG: accel.state @target_count accumulator : tensor<f64>
  // CHECK-LABEL: func @microbatch
  // CHECK-SAME: (%[[X:.+]]: tensor<5x5xf32> {accel.name = "x"}) {
  // CHECK: %[[SUM:.+]] = accel.reduce_sum %{{.+}} [0] : tensor<5xf64> -> tensor<f64>
  // CHECK: %[[COUNT:.+]] = accel.constant
  // CHECK: accel.constant dense<1.250000e-01> : tensor<5xf32>
  // Each contribution is accumulated right behind its producer.
  // CHECK: %[[LAST:.+]] = accel.matmul %{{.+}} {transpose_lhs}
  // CHECK-NEXT: accel.accumulate @tied, %[[LAST]]
  // CHECK: %[[FIRST:.+]] = accel.matmul %[[X]], %{{.+}} {transpose_lhs}
  // CHECK-NEXT: accel.accumulate @tied, %[[FIRST]]
  // CHECK-NOT: @frozen
  // CHECK: accel.accumulate @loss_sum, %[[SUM]]
  // CHECK-NEXT: accel.accumulate @target_count, %[[COUNT]]
  // CHECK-NEXT: return
  // CHECK-NOT: tensor
  func.func @microbatch(%x: tensor<5x5xf32> {accel.name = "x"}) -> (tensor<5xf32>, tensor<f64>, tensor<f64>) {
    %w = accel.read @tied : tensor<5x5xf32>
    %f = accel.read @frozen : tensor<5x5xf32>
    %h = accel.matmul %x, %w : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
    %g = accel.matmul %h, %f : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
    %y = accel.matmul %g, %w : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
    %l = accel.reduce_sum %y [1] : tensor<5x5xf32> -> tensor<5xf32>
    %wide = accel.cast %l : tensor<5xf32> -> tensor<5xf64>
    %sum = accel.reduce_sum %wide [0] : tensor<5xf64> -> tensor<f64>
    %count = accel.constant dense<5.0> : tensor<f64>
    return %l, %sum, %count : tensor<5xf32>, tensor<f64>, tensor<f64>
  }
}
