// Recipe delayed: a scale of each tensor that is known before the step, and the magnitudes that the next one is made of.
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 fp8=delayed fp8-history=4 fp8-margin=1' | FileCheck %s
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 fp8=delayed fp8-history=4' --accel-verify-precision -o /dev/null
// One step needs no history.
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 fp8=delayed fp8-amax=most_recent' | FileCheck %s --check-prefix=RECENT
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 fp8=delayed fp8-history=1' | FileCheck %s --check-prefix=RECENT
// RECENT-NOT: delayed_history
// RECENT: accel.state @delayed_amax accumulator_max : tensor<2xf32>
// RECENT-NOT: delayed_column
// RECENT: func.func @microbatch

// Tensors have numbers of the forward program or of gradients; the margin divides what they are scaled to.
// CHECK: accel.fp8 = {emulated, forward = f8E4M3FN, gradient = f8E5M2, margin = 1 : i64, recipe = "delayed"}
// CHECK: accel.parameter @w : tensor<32x16xf32> trainable compute f8E4M3FN {scale = 0 : i64}
// CHECK-DAG: accel.state @delayed_scale scale : tensor<2xf32> {accel.delayed_largest = dense<[2.240000e+02, 2.867200e+04]> : tensor<2xf32>, initial = 1.000000e+00 : f64}
// CHECK-DAG: accel.state @delayed_inverse scale : tensor<2xf32> {initial = 1.000000e+00 : f64}
// CHECK-DAG: accel.state @delayed_amax accumulator_max : tensor<2xf32>
// CHECK-DAG: accel.state @delayed_history scale : tensor<2x4xf32>
// CHECK-DAG: accel.state @delayed_column counter : tensor<f64>
accel.parameter @w : tensor<32x16xf32> trainable
accel.parameter @v : tensor<16x16xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK-LABEL: func.func @microbatch
// CHECK-SAME: %[[X:.+]]: tensor<48x32xf32>
func.func @microbatch(%x: tensor<48x32xf32> {accel.name = "x"}) {
  // CHECK: %[[SCALES:.+]] = accel.read @delayed_scale : tensor<2xf32>
  // CHECK: %[[INVERSES:.+]] = accel.read @delayed_inverse : tensor<2xf32>
  // CHECK: %[[XONE:.+]] = accel.slice %[[SCALES]] [0] strides [1]
  // CHECK: %[[XSCALE:.+]] = accel.reshape %[[XONE]]
  // CHECK: %[[XIONE:.+]] = accel.slice %[[INVERSES]] [0] strides [1]
  // CHECK: %[[XI:.+]] = accel.reshape %[[XIONE]]
  // CHECK: %[[GONE:.+]] = accel.slice %[[SCALES]] [1] strides [1]
  // CHECK: %[[GSCALE:.+]] = accel.reshape %[[GONE]]
  // The cast does not wait for the magnitude.
  // CHECK: %[[ABS:.+]] = accel.abs %[[X]]
  // CHECK: %[[ROWS:.+]] = accel.reduce_max %[[ABS]] [1]
  // CHECK: %[[XAMAX:.+]] = accel.reduce_max %[[ROWS]] [0]
  // CHECK: %[[BXS:.+]] = accel.broadcast %[[XSCALE]] []
  // CHECK: %[[XS:.+]] = accel.mul %[[X]], %[[BXS]]
  // CHECK: %[[XQ:.+]] = accel.cast %[[XS]] saturate : tensor<48x32xf32> -> tensor<48x32xf8E4M3FN>
  // CHECK: %[[Z:.+]] = accel.matmul %[[XQ]], %{{.+}} : tensor<48x32xf8E4M3FN>, tensor<32x16xf8E4M3FN> -> tensor<48x16xf32>
  // CHECK: %[[BXI:.+]] = accel.broadcast %[[XI]]
  // CHECK: accel.mul %[[Z]], %[[BXI]]
  // CHECK: %[[BGS:.+]] = accel.broadcast %[[GSCALE]] []
  // CHECK: %[[GS:.+]] = accel.mul %{{.+}}, %[[BGS]]
  // CHECK: accel.cast %[[GS]] saturate : tensor<48x16xf32> -> tensor<48x16xf8E5M2>
  %w = accel.read @w : tensor<32x16xf32>
  %z = accel.matmul %x, %w : tensor<48x32xf32>, tensor<32x16xf32> -> tensor<48x16xf32>
  %h = accel.tanh %z : tensor<48x16xf32>
  %v = accel.read @v : tensor<16x16xf32>
  %y = accel.matmul %h, %v : tensor<48x16xf32>, tensor<16x16xf32> -> tensor<48x16xf32>
  %sum = accel.reduce_sum %y [0, 1] : tensor<48x16xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  %g = accel.neg %h : tensor<48x16xf32>
  %gw = accel.matmul %x, %g as weight_gradient {transpose_lhs} : tensor<48x32xf32>, tensor<48x16xf32> -> tensor<32x16xf32>
  accel.accumulate @w, %gw : tensor<32x16xf32>
  // CHECK: %[[XA:.+]] = accel.reshape %[[XAMAX]]
  // CHECK: %[[FOUND:.+]] = accel.concat %[[XA]], %{{.+}} axis 0
  // CHECK: %[[BEFORE:.+]] = accel.read @delayed_amax : tensor<2xf32>
  // CHECK: %[[RAISED:.+]] = accel.max %[[BEFORE]], %[[FOUND]]
  // CHECK: accel.write @delayed_amax, %[[RAISED]]
  return
}
