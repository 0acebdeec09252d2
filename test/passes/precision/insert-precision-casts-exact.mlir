// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16' --accel-verify-precision | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 fp8=current' --accel-verify-precision | FileCheck %s
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 rules=include=.' | FileCheck %s --check-prefixes=CHECK,BF16

// A product that is how an operator is computed, and its gradient, stay in f32 whatever is asked for.
module attributes {accel.batch = 16 : i64} {
  accel.parameter @w : tensor<16x16xf32> trainable
  accel.parameter @v : tensor<16x16xf32> trainable
  // CHECK: func.func @microbatch
  func.func @microbatch(%x: tensor<16x16xf32> {accel.name = "x"}) -> (tensor<16xf32>, tensor<f64>, tensor<f64>) {
    %waves = accel.constant dense<0.5> : tensor<16x16xf32>
    // CHECK: %[[SPECTRUM:.+]] = accel.matmul %{{.+}}, %{{.+}} {accel.precision_reason = "it is how an operator is computed, and no layer", exact} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %s = accel.matmul %x, %waves {exact} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %w = accel.read @w : tensor<16x16xf32>
    // BF16: accel.matmul %{{.+}}, %{{.+}} : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
    %h = accel.matmul %s, %w : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %v = accel.read @v : tensor<16x16xf32>
    %y = accel.matmul %h, %v : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    // CHECK: accel.matmul %{{.+}}, %{{.+}} as input_gradient {accel.precision_reason = {{.+}}, exact, transpose_rhs} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %g = accel.matmul %y, %waves as input_gradient {exact, transpose_rhs} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %l = accel.reduce_sum %g [1] : tensor<16x16xf32> -> tensor<16xf32>
    %wide = accel.cast %l : tensor<16xf32> -> tensor<16xf64>
    %sum = accel.reduce_sum %wide [0] : tensor<16xf64> -> tensor<f64>
    %count = accel.constant dense<16.0> : tensor<f64>
    return %l, %sum, %count : tensor<16xf32>, tensor<f64>, tensor<f64>
  }
}
