// RUN: accel-opt %s --accel-differentiate-module | FileCheck %s

// Both factors of w * w have one gradient, which is accumulated once, doubled; the product's has an accumulation of its own.
module {
  accel.parameter @w : tensor<5x5xf32> trainable
  // CHECK-LABEL: func @microbatch
  // CHECK: %[[W:.+]] = accel.read @w
  // CHECK: accel.constant dense<1.250000e-01>
  // CHECK: %[[ONE:.+]] = accel.mul %{{.+}}, %[[W]] : tensor<5x5xf32>
  // CHECK-NEXT: %[[TWO:.+]] = accel.constant dense<2.000000e+00> : tensor<5x5xf32>
  // CHECK-NEXT: %[[BOTH:.+]] = accel.mul %[[ONE]], %[[TWO]] : tensor<5x5xf32>
  // CHECK-NEXT: accel.accumulate @w, %[[BOTH]]
  // CHECK: %[[PRODUCT:.+]] = accel.matmul %{{.+}} {transpose_lhs}
  // CHECK-NEXT: accel.accumulate @w, %[[PRODUCT]]
  // CHECK-NOT: accel.accumulate @w
  func.func @microbatch(%x: tensor<5x5xf32> {accel.name = "x"}) -> (tensor<5xf32>, tensor<f64>, tensor<f64>) {
    %w = accel.read @w : tensor<5x5xf32>
    %y = accel.matmul %x, %w : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
    %square = accel.mul %w, %w : tensor<5x5xf32>
    %both = accel.add %y, %square : tensor<5x5xf32>
    %l = accel.reduce_sum %both [1] : tensor<5x5xf32> -> tensor<5xf32>
    %wide = accel.cast %l : tensor<5xf32> -> tensor<5xf64>
    %sum = accel.reduce_sum %wide [0] : tensor<5xf64> -> tensor<f64>
    %count = accel.constant dense<5.0> : tensor<f64>
    return %l, %sum, %count : tensor<5xf32>, tensor<f64>, tensor<f64>
  }
}
