// RUN: accel-opt %s --accel-differentiate-module | FileCheck %s

// y * stop(y): the gradient of y is the stopped one alone, as the other factor is a constant to it. What has told that is gone behind
// it, and so is the parameter's gradient that comes by the stopped value only.
// CHECK: accel.parameter @w : tensor<5xf32> trainable
// CHECK: accel.parameter @v : tensor<5xf32>
// CHECK-NOT: trainable
// CHECK-LABEL: func @microbatch
// CHECK-NOT: accel.stop_gradient
// CHECK: %[[Y:.+]] = accel.mul %{{.+}}, %{{.+}} : tensor<5xf32>
// CHECK: %[[TAUGHT:.+]] = accel.add %[[Y]], %{{.+}} : tensor<5xf32>
// CHECK: accel.mul %[[Y]], %[[TAUGHT]] : tensor<5xf32>
// CHECK: %[[GRADIENT:.+]] = accel.mul %{{.+}}, %[[TAUGHT]] : tensor<5xf32>
// CHECK-NOT: accel.accumulate @v
// CHECK: accel.accumulate @w
// CHECK-NOT: accel.accumulate @v
module {
  accel.parameter @w : tensor<5xf32> trainable
  accel.parameter @v : tensor<5xf32> trainable
  func.func @microbatch(%x: tensor<5xf32> {accel.name = "x"}) -> (tensor<5xf32>, tensor<f64>, tensor<f64>) {
    %w = accel.read @w : tensor<5xf32>
    %v = accel.read @v : tensor<5xf32>
    %y = accel.mul %x, %w : tensor<5xf32>
    %taught = accel.add %y, %v : tensor<5xf32>
    %stopped = accel.stop_gradient %taught : tensor<5xf32>
    %l = accel.mul %y, %stopped : tensor<5xf32>
    %wide = accel.cast %l : tensor<5xf32> -> tensor<5xf64>
    %sum = accel.reduce_sum %wide [0] : tensor<5xf64> -> tensor<f64>
    %count = accel.constant dense<5.0> : tensor<f64>
    return %l, %sum, %count : tensor<5xf32>, tensor<f64>, tensor<f64>
  }
}
