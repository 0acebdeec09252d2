// RUN: accel-opt %s --accel-insert-precision-casts=precision=bf16 --accel-verify-precision | FileCheck %s
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 rules=exclude=gate' --accel-verify-precision | FileCheck %s --check-prefix=EXCLUDED
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 fp8=current' --accel-verify-precision | FileCheck %s --check-prefix=FP8
// Products of rows with the matrices that they choose read bf16, parameters in their segment, and round their sums themselves. The gradient
// of the matrices is a sum of f32. In 8 bits they are not multiplied: they stay bf16, and say why.
// CHECK: accel.parameter @gate : tensor<4x32x16xf32> trainable compute bf16{{$}}
// EXCLUDED: accel.parameter @gate : tensor<4x32x16xf32> trainable{{$}}
// FP8: accel.parameter @gate : tensor<4x32x16xf32> trainable compute bf16{{$}}
// FP8: accel.parameter @w : tensor<32x32xf32> trainable compute f8E4M3FN
accel.parameter @gate : tensor<4x32x16xf32> trainable
accel.parameter @w : tensor<32x32xf32> trainable
accel.parameter @v : tensor<16x16xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK-LABEL: func.func @microbatch
func.func @microbatch(%x: tensor<16x32xf32> {accel.name = "x"}, %i: tensor<16xi64> {accel.name = "i"}) {
  %w = accel.read @w : tensor<32x32xf32>
  // CHECK: %[[Z:.+]] = accel.matmul
  // CHECK: %[[LOWZ:.+]] = accel.cast %[[Z]] : tensor<16x32xf32> -> tensor<16x32xbf16>
  // EXCLUDED: %[[Z:.+]] = accel.matmul
  %z = accel.matmul %x, %w : tensor<16x32xf32>, tensor<32x32xf32> -> tensor<16x32xf32> loc("dense")
  // CHECK: %[[GATE:.+]] = accel.read @gate : tensor<4x32x16xbf16>
  // CHECK: %[[Y:.+]] = accel.grouped_matmul %[[LOWZ]], %[[GATE]], %{{.+}} : tensor<16x32xbf16>, tensor<4x32x16xbf16>, tensor<16xi64> -> tensor<16x16xbf16>
  // EXCLUDED: accel.grouped_matmul %[[Z]], %{{.+}} {accel.precision_reason = "--precision-exclude='gate'"} : tensor<16x32xf32>
  // FP8: accel.grouped_matmul {{.*}} {accel.precision_reason = "a product of rows with the matrices that they choose stays bf16"} : tensor<16x32xbf16>
  %gate = accel.read @gate : tensor<4x32x16xf32>
  %y = accel.grouped_matmul %z, %gate, %i : tensor<16x32xf32>, tensor<4x32x16xf32>, tensor<16xi64> -> tensor<16x16xf32> loc("experts")
  // What follows computes with the rounded sums, and the next product reads what it rounds.
  // CHECK: %[[WIDEY:.+]] = accel.cast %[[Y]] : tensor<16x16xbf16> -> tensor<16x16xf32>
  // CHECK: %[[H:.+]] = accel.tanh %[[WIDEY]]
  // CHECK: %[[LOWH:.+]] = accel.cast %[[H]]
  // CHECK: accel.matmul %[[LOWH]]
  %h = accel.tanh %y : tensor<16x16xf32>
  %v = accel.read @v : tensor<16x16xf32>
  %logits = accel.matmul %h, %v : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32> loc("head")
  %losses = accel.reduce_sum %logits [0, 1] : tensor<16x16xf32> -> tensor<f32>
  %loss = accel.cast %losses : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  %ones = accel.constant dense<1.0> : tensor<16x16xf32>
  %dh = accel.matmul %ones, %v as input_gradient {transpose_rhs} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32> loc("head")
  %square = accel.mul %h, %h : tensor<16x16xf32>
  %slope = accel.sub %ones, %square : tensor<16x16xf32>
  %dy = accel.mul %dh, %slope : tensor<16x16xf32>
  // CHECK: %[[DZ:.+]] = accel.grouped_matmul %[[DY:.+]], %[[GATE]], %{{.+}} as input_gradient {transpose_weights} : tensor<16x16xbf16>, tensor<4x32x16xbf16>, tensor<16xi64> -> tensor<16x32xbf16>
  %dz = accel.grouped_matmul %dy, %gate, %i as input_gradient {transpose_weights} : tensor<16x16xf32>, tensor<4x32x16xf32>, tensor<16xi64> -> tensor<16x32xf32> loc("experts")
  // CHECK: accel.grouped_outer %[[LOWZ]], %[[DY]], %{{.+}} : tensor<16x32xbf16>, tensor<16x16xbf16>, tensor<16xi64> -> tensor<4x32x16xf32>
  // CHECK-NEXT: accel.accumulate @gate
  %dgate = accel.grouped_outer %z, %dy, %i : tensor<16x32xf32>, tensor<16x16xf32>, tensor<16xi64> -> tensor<4x32x16xf32> loc("experts")
  accel.accumulate @gate, %dgate : tensor<4x32x16xf32>
  // CHECK: accel.matmul %{{.+}}, %[[DZ]] as weight_gradient
  %dw = accel.matmul %x, %dz as weight_gradient {transpose_lhs} : tensor<16x32xf32>, tensor<16x32xf32> -> tensor<32x32xf32> loc("dense")
  accel.accumulate @w, %dw : tensor<32x32xf32>
  return
}
