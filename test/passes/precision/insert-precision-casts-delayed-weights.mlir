// Where products read weights alone, recipe delayed has no scale to remember: theirs are made by the update.
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 fp8=delayed' --accel-verify-precision | FileCheck %s

// CHECK: recipe = "delayed"
// CHECK: accel.state @weight_scale scale : tensor<2xf32>
// CHECK-NOT: delayed_
accel.parameter @w : tensor<32x16xf32>
accel.parameter @v : tensor<16x16xf32>
accel.state @loss_sum accumulator : tensor<f64>
func.func @microbatch(%x: tensor<48x32xf32> {accel.name = "x"}) {
  // CHECK: accel.matmul {{.+}} : tensor<32x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<32x16xf32>
  %w = accel.read @w : tensor<32x16xf32>
  %v = accel.read @v : tensor<16x16xf32>
  %z = accel.matmul %w, %v : tensor<32x16xf32>, tensor<16x16xf32> -> tensor<32x16xf32>
  %h = accel.tanh %z : tensor<32x16xf32>
  %y = accel.matmul %x, %h : tensor<48x32xf32>, tensor<32x16xf32> -> tensor<48x16xf32>
  %sum = accel.reduce_sum %y [0, 1] : tensor<48x16xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  return
}
