// RUN: accel-opt %s --accel-differentiate-module --split-input-file | FileCheck %s

// Products that gradients are made by say what of: of a parameter, also where the product reads it through views or reads what is
// computed of parameters alone, or of an activation.
module {
  accel.parameter @w : tensor<5x5xf32> trainable
  accel.parameter @v : tensor<5x1x5xf32> trainable
  // CHECK-LABEL: func @microbatch
  // CHECK-SAME: (%[[X:.+]]: tensor<5x5xf32> {accel.name = "x"}) {
  // A product of the forward program has no role.
  // CHECK: %[[W:.+]] = accel.read @w
  // CHECK: %[[H:.+]] = accel.matmul %[[X]], %[[W]] : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
  // CHECK: %[[S:.+]] = accel.matmul %[[H]], %[[H]] {transpose_rhs} : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
  // CHECK: %[[V:.+]] = accel.transpose
  // CHECK: accel.matmul %[[S]], %[[V]] : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
  // CHECK: accel.matmul %[[G:.+]], %[[V]] as input_gradient {transpose_rhs}
  // CHECK: accel.matmul %[[S]], %[[G]] as weight_gradient {transpose_lhs}
  // Neither operand of the second product is a parameter.
  // CHECK: accel.matmul %{{.+}}, %[[H]] as input_gradient :
  // CHECK: accel.matmul %{{.+}}, %[[H]] as input_gradient {transpose_lhs}
  // CHECK: %[[LAST:.+]] = accel.matmul %[[X]], %{{.+}} as weight_gradient {transpose_lhs}
  // CHECK-NEXT: accel.accumulate @w, %[[LAST]]
  func.func @microbatch(%x: tensor<5x5xf32> {accel.name = "x"}) -> (tensor<5xf32>, tensor<f64>, tensor<f64>) {
    %w = accel.read @w : tensor<5x5xf32>
    %h = accel.matmul %x, %w : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
    %s = accel.matmul %h, %h {transpose_rhs} : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
    %v = accel.read @v : tensor<5x1x5xf32>
    %flat = accel.reshape %v : tensor<5x1x5xf32> -> tensor<5x5xf32>
    %t = accel.transpose %flat [1, 0] : tensor<5x5xf32> -> tensor<5x5xf32>
    %y = accel.matmul %s, %t : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
    %l = accel.reduce_sum %y [1] : tensor<5x5xf32> -> tensor<5xf32>
    %wide = accel.cast %l : tensor<5xf32> -> tensor<5xf64>
    %sum = accel.reduce_sum %wide [0] : tensor<5xf64> -> tensor<f64>
    %count = accel.constant dense<5.0> : tensor<f64>
    return %l, %sum, %count : tensor<5xf32>, tensor<f64>, tensor<f64>
  }
}

// -----

module {
  accel.parameter @w : tensor<5x9xf32> trainable
  accel.parameter @scale : tensor<5x5xf32> trainable
  // A part of a parameter, scaled, repeated for each sample: its gradient is one of parameters until it reaches them.
  // CHECK-LABEL: func @microbatch
  // CHECK-SAME: (%[[X:.+]]: tensor<3x4x5xf32> {accel.name = "x"}) {
  // CHECK: %[[Z:.+]] = accel.matmul %[[X]], %{{.+}} : tensor<3x4x5xf32>, tensor<3x5x5xf32>
  // CHECK: accel.matmul %[[X]], %{{.+}} as weight_gradient {transpose_lhs} : tensor<3x4x5xf32>, tensor<3x4x5xf32> -> tensor<3x5x5xf32>
  func.func @microbatch(%x: tensor<3x4x5xf32> {accel.name = "x"}) -> (tensor<3xf32>, tensor<f64>, tensor<f64>) {
    %w = accel.read @w : tensor<5x9xf32>
    %s = accel.read @scale : tensor<5x5xf32>
    %part = accel.slice %w [0, 2] strides [1, 1] : tensor<5x9xf32> -> tensor<5x5xf32>
    %scaled = accel.mul %part, %s : tensor<5x5xf32>
    %all = accel.broadcast %scaled [1, 2] : tensor<5x5xf32> -> tensor<3x5x5xf32>
    %z = accel.matmul %x, %all : tensor<3x4x5xf32>, tensor<3x5x5xf32> -> tensor<3x4x5xf32>
    %l = accel.reduce_sum %z [1, 2] : tensor<3x4x5xf32> -> tensor<3xf32>
    %wide = accel.cast %l : tensor<3xf32> -> tensor<3xf64>
    %sum = accel.reduce_sum %wide [0] : tensor<3xf64> -> tensor<f64>
    %count = accel.constant dense<3.0> : tensor<f64>
    return %l, %sum, %count : tensor<3xf32>, tensor<f64>, tensor<f64>
  }
}

// -----

// Gradients of what is exact are exact.
module {
  accel.parameter @w : tensor<5x5xf32> trainable
  // CHECK-LABEL: func @microbatch
  // CHECK: accel.matmul %{{.+}}, %{{.+}} {exact} :
  // CHECK: accel.matmul %{{.+}}, %{{.+}} as weight_gradient {exact, transpose_lhs} :
  func.func @microbatch(%x: tensor<5x5xf32> {accel.name = "x"}) -> (tensor<5xf32>, tensor<f64>, tensor<f64>) {
    %w = accel.read @w : tensor<5x5xf32>
    %h = accel.matmul %x, %w {exact} : tensor<5x5xf32>, tensor<5x5xf32> -> tensor<5x5xf32>
    %l = accel.reduce_sum %h [1] : tensor<5x5xf32> -> tensor<5xf32>
    %wide = accel.cast %l : tensor<5xf32> -> tensor<5xf64>
    %sum = accel.reduce_sum %wide [0] : tensor<5xf64> -> tensor<f64>
    %count = accel.constant dense<5.0> : tensor<f64>
    return %l, %sum, %count : tensor<5xf32>, tensor<f64>, tensor<f64>
  }
}
