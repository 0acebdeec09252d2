// RUN: split-file %s %t
// RUN: accel-opt %t/products.mlir --accel-insert-precision-casts='precision=bf16 fp8=mx' | FileCheck %t/products.mlir
// RUN: accel-opt %t/products.mlir --accel-insert-precision-casts='precision=bf16 fp8=block fp8-format=hybrid' | FileCheck %t/products.mlir --check-prefix=LARGE
// RUN: accel-opt %t/views.mlir --accel-insert-precision-casts='precision=bf16 fp8=mx' | FileCheck %t/views.mlir
// RUN: accel-opt %t/turned.mlir --accel-insert-precision-casts='precision=bf16 fp8=mx' --accel-verify-precision | FileCheck %t/turned.mlir
// What the pass makes is what the verifier wants.
// RUN: for recipe in block mx; do accel-opt %t/products.mlir --accel-insert-precision-casts='precision=bf16 fp8='$recipe --accel-verify-precision || exit 1; done
// RUN: accel-opt %t/views.mlir --accel-insert-precision-casts='precision=bf16 fp8=mx' --accel-verify-precision

//--- products.mlir
// A hidden layer and its gradients in blocks of 32 along what each product sums; the layer behind it makes the logits.
// LARGE: block = 128 : i64
// LARGE-SAME: forward = f8E4M3FN, gradient = f8E5M2, recipe = "block"
// CHECK: accel.fp8 = {block = 32 : i64, emulated, forward = f8E4M3FN, gradient = f8E4M3FN, recipe = "mx"}
// A scale for each square of the parameter: two times one.
// CHECK: accel.parameter @w : tensor<48x16xf32> trainable compute f8E4M3FN {scale = 0 : i64}
// LARGE: accel.state @weight_scale scale : tensor<1xf32>
accel.parameter @w : tensor<48x16xf32> trainable
accel.parameter @v : tensor<16x16xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK: accel.state @weight_scale scale : tensor<2xf32> {initial = 1.000000e+00 : f64}
// CHECK: accel.state @weight_inverse scale : tensor<2xf32> {initial = 1.000000e+00 : f64}
// CHECK-LABEL: func.func @microbatch
// CHECK-SAME: %[[X:.+]]: tensor<64x48xf32>
func.func @microbatch(%x: tensor<64x48xf32> {accel.name = "x"}) {
  // What the weight's gradient sums, the rows, is moved beside each other first: the last thing that is read of the input.
  // CHECK: %[[XT:.+]] = accel.transpose %[[X]] [1, 0] stored : tensor<64x48xf32> -> tensor<48x64xf32>
  // CHECK-NEXT: %[[XTB:.+]] = accel.reshape %[[XT]] : tensor<48x64xf32> -> tensor<48x2x32xf32>
  // CHECK: %[[XTS:.+]] = accel.cast %{{.+}} : tensor<48x2xf32> -> tensor<48x2xf8E8M0FNU>
  // CHECK: %[[XTQ:.+]] = accel.reshape %{{.+}} : tensor<48x2x32xf8E4M3FN> -> tensor<48x64xf8E4M3FN>
  // The forward product sums columns; behind the last ones there are zeros, so that blocks are whole.
  // CHECK: %[[PADDED:.+]] = accel.pad %[[X]] [0, 0] strides [1, 1] : tensor<64x48xf32> -> tensor<64x64xf32>
  // CHECK-NEXT: %[[BLOCKS:.+]] = accel.reshape %[[PADDED]] : tensor<64x64xf32> -> tensor<64x2x32xf32>
  // CHECK-NEXT: %[[ABS:.+]] = accel.abs %[[BLOCKS]]
  // CHECK-NEXT: %[[AMAX:.+]] = accel.reduce_max %[[ABS]] [2] : tensor<64x2x32xf32> -> tensor<64x2xf32>
  // CHECK-NEXT: %[[LARGEST:.+]] = accel.constant dense<4.480000e+02>
  // CHECK-NEXT: %[[EXACT:.+]] = accel.div %[[AMAX]], %[[LARGEST]]
  // CHECK-NEXT: %[[LEAST:.+]] = accel.constant dense<7.70371977E-34>
  // CHECK-NEXT: %[[BOUNDED:.+]] = accel.max %[[EXACT]], %[[LEAST]]
  // CHECK-NEXT: %[[XS:.+]] = accel.cast %[[BOUNDED]] : tensor<64x2xf32> -> tensor<64x2xf8E8M0FNU>
  // CHECK-NEXT: %[[INVERSE:.+]] = accel.cast %[[XS]] : tensor<64x2xf8E8M0FNU> -> tensor<64x2xf32>
  // CHECK-NEXT: %[[ONE:.+]] = accel.constant dense<1.000000e+00>
  // CHECK-NEXT: %[[SCALE:.+]] = accel.div %[[ONE]], %[[INVERSE]]
  // CHECK-NEXT: %[[FACTORS:.+]] = accel.broadcast %[[SCALE]] [0, 1] : tensor<64x2xf32> -> tensor<64x2x32xf32>
  // CHECK-NEXT: %[[SCALED:.+]] = accel.mul %[[BLOCKS]], %[[FACTORS]]
  // CHECK-NEXT: %[[NUMBERS:.+]] = accel.cast %[[SCALED]] saturate : tensor<64x2x32xf32> -> tensor<64x2x32xf8E4M3FN>
  // CHECK-NEXT: %[[ALL:.+]] = accel.reshape %[[NUMBERS]] : tensor<64x2x32xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
  // CHECK-NEXT: %[[XQ:.+]] = accel.slice %[[ALL]] [0, 0] strides [1, 1] : tensor<64x64xf8E4M3FN> -> tensor<64x48xf8E4M3FN>
  // The scales of the parameter's squares, one for each number, of which a block keeps its first one.
  // CHECK-DAG: %[[WQ:.+]] = accel.read @w : tensor<48x16xf8E4M3FN>
  // CHECK-DAG: %[[OWN:.+]] = accel.slice %{{.+}} [0] strides [1] : tensor<2xf32> -> tensor<2xf32>
  // CHECK-DAG: %[[NARROW:.+]] = accel.cast %[[OWN]] : tensor<2xf32> -> tensor<2xf8E8M0FNU>
  // CHECK: %[[SQUARES:.+]] = accel.reshape %[[NARROW]] : tensor<2xf8E8M0FNU> -> tensor<2x1xf8E8M0FNU>
  // CHECK: accel.broadcast %[[SQUARES]] [0, 2] : tensor<2x1xf8E8M0FNU> -> tensor<2x32x1x32xf8E8M0FNU>
  // CHECK: %[[WS:.+]] = accel.slice %{{.+}} [0, 0] strides [32, 1] : tensor<48x16xf8E8M0FNU> -> tensor<2x16xf8E8M0FNU>
  %w = accel.read @w : tensor<48x16xf32>
  // CHECK: %[[Z:.+]] = accel.matmul %[[XQ]], %[[WQ]] scaled by(%[[XS]], %[[WS]] : tensor<64x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>) per 32 : tensor<64x48xf8E4M3FN>, tensor<48x16xf8E4M3FN> -> tensor<64x16xf32>
  // Nothing undoes scales behind the product.
  // CHECK-NEXT: accel.tanh %[[Z]]
  // LARGE: accel.matmul %{{.+}}, %{{.+}} scaled by(%{{.+}}, %{{.+}} : tensor<64x1xf8E8M0FNU>, tensor<1x16xf8E8M0FNU>) per 128
  %z = accel.matmul %x, %w : tensor<64x48xf32>, tensor<48x16xf32> -> tensor<64x16xf32>
  %h = accel.tanh %z : tensor<64x16xf32>
  %v = accel.read @v : tensor<16x16xf32>
  %y = accel.matmul %h, %v : tensor<64x16xf32>, tensor<16x16xf32> -> tensor<64x16xf32>
  %sum = accel.reduce_sum %y [0, 1] : tensor<64x16xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  // The gradient is stored in bf16, and both orientations are made of that.
  // CHECK: accel.sub
  // CHECK-NEXT: %[[WIDE:.+]] = accel.mul
  // CHECK-NEXT: %[[G:.+]] = accel.cast %[[WIDE]] : tensor<64x16xf32> -> tensor<64x16xbf16>
  // CHECK-NEXT: %[[GT:.+]] = accel.transpose %[[G]] [1, 0] stored : tensor<64x16xbf16> -> tensor<16x64xbf16>
  // CHECK: accel.cast %[[GT]] : tensor<16x64xbf16> -> tensor<16x64xf32>
  // Both operands have the summed index last.
  // CHECK: accel.matmul %[[XTQ]], %{{.+}} scaled by(%[[XTS]], %{{.+}} : tensor<48x2xf8E8M0FNU>, tensor<16x2xf8E8M0FNU>) per 32 as weight_gradient {transpose_rhs} : tensor<48x64xf8E4M3FN>, tensor<16x64xf8E4M3FN> -> tensor<48x16xf32>
  // LARGE: as weight_gradient {transpose_rhs} : tensor<48x64xf8E4M3FN>, tensor<16x64xf8E5M2> -> tensor<48x16xf32>
  %one = accel.constant dense<1.0> : tensor<64x16xf32>
  %dh = accel.matmul %one, %v as input_gradient {transpose_rhs} : tensor<64x16xf32>, tensor<16x16xf32> -> tensor<64x16xf32>
  %square = accel.mul %h, %h : tensor<64x16xf32>
  %slope = accel.sub %one, %square : tensor<64x16xf32>
  %dz = accel.mul %dh, %slope : tensor<64x16xf32>
  %dw = accel.matmul %x, %dz as weight_gradient {transpose_lhs} : tensor<64x48xf32>, tensor<64x16xf32> -> tensor<48x16xf32>
  accel.accumulate @w, %dw : tensor<48x16xf32>
  return
}

//--- views.mlir
// Parts of a parameter that begin with a square are read in 8 bits; others are not, and say why. Nor is what has rows that no granule of 16 divides.
accel.parameter @qk : tensor<96x32xf32> trainable
accel.parameter @cut : tensor<96x32xf32> trainable
accel.parameter @odd : tensor<32x33xf32> trainable
accel.parameter @last : tensor<16x32xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK-DAG: accel.parameter @qk : tensor<96x32xf32> trainable compute f8E4M3FN
// CHECK-DAG: accel.parameter @cut : tensor<96x32xf32> trainable compute bf16
// CHECK-LABEL: func.func @microbatch
func.func @microbatch(%x: tensor<32x32xf32> {accel.name = "x"}) {
  %qk = accel.read @qk : tensor<96x32xf32>
  // The scales are split as the numbers are, then transposed.
  // CHECK: accel.split %{{.+}} axis 0 : tensor<96x32xf8E4M3FN> -> tensor<32x32xf8E4M3FN>, tensor<64x32xf8E4M3FN>
  // CHECK: accel.split %{{.+}} axis 0 : tensor<96x32xf8E8M0FNU> -> tensor<32x32xf8E8M0FNU>, tensor<64x32xf8E8M0FNU>
  %q, %k = accel.split %qk axis 0 : tensor<96x32xf32> -> tensor<32x32xf32>, tensor<64x32xf32>
  %kt = accel.transpose %k [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  // CHECK: accel.matmul %{{.+}}, %{{.+}} scaled by({{.+}} : tensor<32x1xf8E8M0FNU>, tensor<32x1xf8E8M0FNU>) per 32 {transpose_rhs}
  %a = accel.matmul %x, %q {transpose_rhs} : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  // CHECK: accel.matmul %{{.+}}, %{{.+}} scaled by({{.+}} : tensor<32x1xf8E8M0FNU>, tensor<1x64xf8E8M0FNU>) per 32 : tensor<32x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>
  %b = accel.matmul %x, %kt : tensor<32x32xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  %cut = accel.read @cut : tensor<96x32xf32>
  %part = accel.slice %cut [16, 0] strides [1, 1] : tensor<96x32xf32> -> tensor<32x32xf32>
  // CHECK: accel.matmul %{{.+}} {accel.precision_reason = "parameter 'cut' is read otherwise than in squares of 32 x 32", transpose_rhs}
  %c = accel.matmul %a, %part {transpose_rhs} : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %odd = accel.read @odd : tensor<32x33xf32>
  %even = accel.slice %odd [0, 0] strides [1, 1] : tensor<32x33xf32> -> tensor<32x32xf32>
  // CHECK: accel.matmul %{{.+}} {accel.precision_reason = "parameter 'odd' has rows of 33, which is no multiple of 16"}
  %e = accel.matmul %c, %even : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %bs = accel.slice %b [0, 0] strides [1, 2] : tensor<32x64xf32> -> tensor<32x32xf32>
  %d = accel.add %e, %bs : tensor<32x32xf32>
  %last = accel.read @last : tensor<16x32xf32>
  %y = accel.matmul %d, %last {transpose_rhs} : tensor<32x32xf32>, tensor<16x32xf32> -> tensor<32x16xf32>
  %sum = accel.reduce_sum %y [0, 1] : tensor<32x16xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  return
}

//--- turned.mlir
// A tensor and its transpose are one: what two products sum along the same dimension is cast once.
accel.parameter @w : tensor<32x64xf32> trainable
accel.parameter @v : tensor<64x16xf32> trainable
accel.parameter @last : tensor<16x32xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK-LABEL: func.func @microbatch
func.func @microbatch(%x: tensor<32x32xf32> {accel.name = "x"}) {
  %w = accel.read @w : tensor<32x64xf32>
  // CHECK-COUNT-2: saturate
  // CHECK-NOT: saturate
  %h = accel.matmul %x, %w : tensor<32x32xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  %t = accel.transpose %h [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  %v = accel.read @v : tensor<64x16xf32>
  %a = accel.matmul %h, %v : tensor<32x64xf32>, tensor<64x16xf32> -> tensor<32x16xf32>
  %b = accel.matmul %t, %v {transpose_lhs} : tensor<64x32xf32>, tensor<64x16xf32> -> tensor<32x16xf32>
  %c = accel.add %a, %b : tensor<32x16xf32>
  %last = accel.read @last : tensor<16x32xf32>
  %y = accel.matmul %c, %last : tensor<32x16xf32>, tensor<16x32xf32> -> tensor<32x32xf32>
  %sum = accel.reduce_sum %y [0, 1] : tensor<32x32xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  return
}
