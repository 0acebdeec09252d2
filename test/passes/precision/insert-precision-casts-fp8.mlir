// RUN: split-file %s %t
// RUN: accel-opt %t/products.mlir --accel-insert-precision-casts='precision=bf16 fp8=current' | FileCheck %t/products.mlir
// RUN: accel-opt %t/products.mlir --accel-insert-precision-casts='precision=bf16 fp8=current fp8-format=e4m3' | FileCheck %t/products.mlir --check-prefix=E4M3
// RUN: accel-opt %t/reasons.mlir --accel-insert-precision-casts='precision=bf16 fp8=current rules=exclude=excluded' | FileCheck %t/reasons.mlir
// RUN: accel-opt %t/views.mlir --accel-insert-precision-casts='precision=bf16 fp8=current' | FileCheck %t/views.mlir
// What the pass makes is what the verifier wants.
// RUN: for name in products reasons views; do accel-opt %t/$name.mlir --accel-insert-precision-casts='precision=bf16 fp8=current' --accel-verify-precision || exit 1; done

//--- products.mlir
// A hidden layer and its gradients in 8 bits; the layer behind it makes the logits.
// E4M3: gradient = f8E4M3FN
// E4M3-NOT: f8E5M2
// CHECK: accel.fp8 = {emulated, forward = f8E4M3FN, gradient = f8E5M2, recipe = "current"}
// CHECK-SAME: accel.precision = bf16
// CHECK: accel.parameter @w : tensor<32x16xf32> trainable compute f8E4M3FN {scale = 0 : i64}
// CHECK: accel.parameter @v : tensor<16x16xf32> trainable compute bf16{{$}}
accel.parameter @w : tensor<32x16xf32> trainable
accel.parameter @v : tensor<16x16xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK: accel.state @weight_scale scale : tensor<1xf32> {initial = 1.000000e+00 : f64}
// CHECK: accel.state @weight_inverse scale : tensor<1xf32> {initial = 1.000000e+00 : f64}
// CHECK-LABEL: func.func @microbatch
// CHECK-SAME: %[[X:.+]]: tensor<48x32xf32>
func.func @microbatch(%x: tensor<48x32xf32> {accel.name = "x"}) {
  // The input is scaled by its own largest magnitude, rows first.
  // CHECK: %[[ABS:.+]] = accel.abs %[[X]]
  // CHECK-NEXT: %[[ROWS:.+]] = accel.reduce_max %[[ABS]] [1] : tensor<48x32xf32> -> tensor<48xf32>
  // CHECK-NEXT: %[[AMAX:.+]] = accel.reduce_max %[[ROWS]] [0] : tensor<48xf32> -> tensor<f32>
  // CHECK-NEXT: %[[LEAST:.+]] = accel.constant dense<7.88860905E-31> : tensor<f32>
  // CHECK-NEXT: %[[DIVISOR:.+]] = accel.max %[[AMAX]], %[[LEAST]]
  // CHECK-NEXT: %[[LARGEST:.+]] = accel.constant dense<4.480000e+02> : tensor<f32>
  // CHECK-NEXT: %[[SCALE:.+]] = accel.div %[[LARGEST]], %[[DIVISOR]]
  // CHECK-NEXT: %[[ONE:.+]] = accel.constant dense<1.000000e+00> : tensor<f32>
  // CHECK-NEXT: %[[XI:.+]] = accel.div %[[ONE]], %[[SCALE]] : tensor<f32>
  // CHECK-NEXT: %[[FACTOR:.+]] = accel.broadcast %[[SCALE]] [] : tensor<f32> -> tensor<48x32xf32>
  // CHECK-NEXT: %[[SCALED:.+]] = accel.mul %[[X]], %[[FACTOR]]
  // CHECK-NEXT: %[[XQ:.+]] = accel.cast %[[SCALED]] saturate : tensor<48x32xf32> -> tensor<48x32xf8E4M3FN>
  // The scale of a weight is a state.
  // CHECK-DAG: accel.read @weight_inverse : tensor<1xf32>
  // CHECK-DAG: %[[WI:.+]] = accel.reshape %{{.+}} : tensor<1xf32> -> tensor<f32>
  // CHECK-DAG: %[[WQ:.+]] = accel.read @w : tensor<32x16xf8E4M3FN>
  %w = accel.read @w : tensor<32x16xf32>
  // Both inverses multiply the sum before anything else is computed of it.
  // CHECK: %[[Z:.+]] = accel.matmul %[[XQ]], %[[WQ]] : tensor<48x32xf8E4M3FN>, tensor<32x16xf8E4M3FN> -> tensor<48x16xf32>
  // CHECK-NEXT: %[[BXI:.+]] = accel.broadcast %[[XI]]
  // CHECK-NEXT: %[[Z1:.+]] = accel.mul %[[Z]], %[[BXI]]
  // CHECK-NEXT: %[[BWI:.+]] = accel.broadcast %[[WI]]
  // CHECK-NEXT: %[[Z2:.+]] = accel.mul %[[Z1]], %[[BWI]]
  // CHECK-NEXT: %[[H:.+]] = accel.tanh %[[Z2]]
  // CHECK-NEXT: %[[HLOW:.+]] = accel.cast %[[H]] : tensor<48x16xf32> -> tensor<48x16xbf16>
  %z = accel.matmul %x, %w : tensor<48x32xf32>, tensor<32x16xf32> -> tensor<48x16xf32>
  %h = accel.tanh %z : tensor<48x16xf32>
  // CHECK: accel.matmul %[[HLOW]], %{{.+}} {accel.precision_reason = "it makes the logits"} : tensor<48x16xbf16>, tensor<16x16xbf16> -> tensor<48x16xf32>
  %v = accel.read @v : tensor<16x16xf32>
  %y = accel.matmul %h, %v : tensor<48x16xf32>, tensor<16x16xf32> -> tensor<48x16xf32>
  %sum = accel.reduce_sum %y [0, 1] : tensor<48x16xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  // A gradient is of the type with the larger range; it is cast once for both products that read it. What the forward product read is read again.
  // CHECK: %[[GQ:.+]] = accel.cast %{{.+}} saturate : tensor<48x16xf32> -> tensor<48x16xf8E5M2>
  // CHECK: %[[GW:.+]] = accel.matmul %[[XQ]], %[[GQ]] as weight_gradient {transpose_lhs} : tensor<48x32xf8E4M3FN>, tensor<48x16xf8E5M2> -> tensor<32x16xf32>
  // CHECK: %[[GW1:.+]] = accel.mul %[[GW]], %
  // CHECK: %[[GW2:.+]] = accel.mul %[[GW1]], %
  // CHECK-NEXT: accel.accumulate @w, %[[GW2]]
  // CHECK: accel.matmul %[[GQ]], %[[WQ]] as input_gradient {transpose_rhs} : tensor<48x16xf8E5M2>, tensor<32x16xf8E4M3FN> -> tensor<48x32xf32>
  %g = accel.neg %h : tensor<48x16xf32>
  %gw = accel.matmul %x, %g as weight_gradient {transpose_lhs} : tensor<48x32xf32>, tensor<48x16xf32> -> tensor<32x16xf32>
  accel.accumulate @w, %gw : tensor<32x16xf32>
  %gx = accel.matmul %g, %w as input_gradient {transpose_rhs} : tensor<48x16xf32>, tensor<32x16xf32> -> tensor<48x32xf32>
  %all = accel.reduce_sum %gx [0, 1] : tensor<48x32xf32> -> tensor<f32>
  %wide = accel.cast %all : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %wide : tensor<f64>
  return
}

//--- reasons.mlir
// Every product that stays bf16 says why.
// CHECK: accel.parameter @shared : tensor<16x16xf32> trainable compute bf16{{$}}
// CHECK: accel.parameter @eight : tensor<16x16xf32> trainable compute f8E4M3FN
accel.parameter @table : tensor<32x16xf32> trainable
accel.parameter @shared : tensor<16x16xf32> trainable
accel.parameter @odd : tensor<16x24xf32> trainable
accel.parameter @excluded : tensor<24x16xf32> trainable
accel.parameter @eight : tensor<16x16xf32> trainable
accel.parameter @head : tensor<16x16xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
func.func @microbatch(%ids: tensor<32xi64> {accel.name = "ids"}) {
  %table = accel.read @table : tensor<32x16xf32>
  // CHECK: accel.gather {{.*}} {accel.precision_reason = "an embedding stays bf16"}
  %e = accel.gather %table, %ids : tensor<32x16xf32>, tensor<32xi64> -> tensor<32x16xf32>
  // A gradient of another size is one of three products.
  // CHECK: accel.matmul {{.*}}accel.precision_reason = "M, N, K of its forward product are 32, 24, 16, not all multiples of 16"
  %odd = accel.read @odd : tensor<16x24xf32>
  %a = accel.matmul %e, %odd : tensor<32x16xf32>, tensor<16x24xf32> -> tensor<32x24xf32>
  // CHECK: accel.matmul {{.*}}accel.precision_reason = "--precision-exclude='excluded'"
  %excluded = accel.read @excluded : tensor<24x16xf32>
  %b = accel.matmul %a, %excluded : tensor<32x24xf32>, tensor<24x16xf32> -> tensor<32x16xf32>
  // CHECK: accel.matmul {{.*}} {accel.precision_reason = "neither operand is a parameter", transpose_rhs}
  %c = accel.matmul %b, %e {transpose_rhs} : tensor<32x16xf32>, tensor<32x16xf32> -> tensor<32x32xf32>
  %d = accel.matmul %c, %e : tensor<32x32xf32>, tensor<32x16xf32> -> tensor<32x16xf32>
  // A parameter that is looked up in bf16 is multiplied in bf16.
  // CHECK: accel.gather
  // CHECK: accel.matmul {{.*}}accel.precision_reason = "parameter 'shared' is not read by products of 8 bits alone"
  %shared = accel.read @shared : tensor<16x16xf32>
  %look = accel.gather %shared, %ids : tensor<16x16xf32>, tensor<32xi64> -> tensor<32x16xf32>
  %s = accel.add %look, %d : tensor<32x16xf32>
  %f = accel.matmul %s, %shared : tensor<32x16xf32>, tensor<16x16xf32> -> tensor<32x16xf32>
  // CHECK: accel.matmul %{{.+}}, %{{.+}} : tensor<32x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<32x16xf32>
  %eight = accel.read @eight : tensor<16x16xf32>
  %h = accel.matmul %f, %eight : tensor<32x16xf32>, tensor<16x16xf32> -> tensor<32x16xf32>
  %q = accel.reshape %h : tensor<32x16xf32> -> tensor<1x2x32x8xf32>
  // CHECK: accel.attention {{.*}}{accel.precision_reason = "attention stays bf16"}
  %o, %lse = accel.attention %q, %q, %q scale 1.0 : tensor<1x2x32x8xf32>, tensor<1x2x32x8xf32>, tensor<1x2x32x8xf32> -> tensor<1x2x32x8xf32>, tensor<1x2x32xf32>
  %r = accel.reshape %o : tensor<1x2x32x8xf32> -> tensor<32x16xf32>
  // CHECK: accel.matmul {{.*}}accel.precision_reason = "it makes the logits"
  %head = accel.read @head : tensor<16x16xf32>
  %y = accel.matmul %r, %head : tensor<32x16xf32>, tensor<16x16xf32> -> tensor<32x16xf32>
  %sum = accel.reduce_sum %y [0, 1] : tensor<32x16xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  return
}

//--- views.mlir
// A view of all of a tensor views what the tensor became, one of a parameter what that became; another part of a tensor has a scale of its
// own, whichever product comes first. A parameter that something else reads stays bf16.
// CHECK: accel.parameter @w : tensor<2x8x16xf32> trainable compute f8E4M3FN {scale = 0 : i64}
// CHECK: accel.parameter @penalized : tensor<16x16xf32> trainable compute bf16{{$}}
accel.parameter @w : tensor<2x8x16xf32> trainable
accel.parameter @part : tensor<16x16xf32> trainable
accel.parameter @penalized : tensor<16x16xf32> trainable
accel.parameter @head : tensor<16x16xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK-LABEL: func.func @microbatch
func.func @microbatch(%x: tensor<2x16x16xf32> {accel.name = "x"}) {
  // CHECK-DAG: %[[XQ:.+]] = accel.cast %{{.+}} saturate : tensor<2x16x16xf32> -> tensor<2x16x16xf8E4M3FN>
  // CHECK-DAG: %[[ROWS:.+]] = accel.reshape %[[XQ]] : tensor<2x16x16xf8E4M3FN> -> tensor<32x16xf8E4M3FN>
  // CHECK-DAG: %[[W:.+]] = accel.read @w : tensor<2x8x16xf8E4M3FN>
  // CHECK-DAG: %[[FLAT:.+]] = accel.reshape %[[W]] : tensor<2x8x16xf8E4M3FN> -> tensor<16x16xf8E4M3FN>
  // CHECK-DAG: accel.matmul %[[ROWS]], %[[FLAT]]
  %rows = accel.reshape %x : tensor<2x16x16xf32> -> tensor<32x16xf32>
  %w = accel.read @w : tensor<2x8x16xf32>
  %flat = accel.reshape %w : tensor<2x8x16xf32> -> tensor<16x16xf32>
  %z = accel.matmul %rows, %flat : tensor<32x16xf32>, tensor<16x16xf32> -> tensor<32x16xf32>
  // CHECK-DAG: %[[SLICE:.+]] = accel.slice %{{.+}} [16, 0] strides [1, 1] : tensor<32x16xf32> -> tensor<16x16xf32>
  // CHECK-DAG: accel.abs %[[SLICE]]
  %half = accel.slice %rows [16, 0] strides [1, 1] : tensor<32x16xf32> -> tensor<16x16xf32>
  %part = accel.read @part : tensor<16x16xf32>
  %u = accel.matmul %half, %part : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK-DAG: accel.matmul {{.*}}accel.precision_reason = "parameter 'penalized' is not read by products of 8 bits alone"
  %penalized = accel.read @penalized : tensor<16x16xf32>
  %v = accel.matmul %u, %penalized : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %both = accel.concat %z, %v axis 0 : tensor<32x16xf32>, tensor<16x16xf32> -> tensor<48x16xf32>
  %head = accel.read @head : tensor<16x16xf32>
  %y = accel.matmul %both, %head : tensor<48x16xf32>, tensor<16x16xf32> -> tensor<48x16xf32>
  %sum = accel.reduce_sum %y [0, 1] : tensor<48x16xf32> -> tensor<f32>
  %other = accel.reduce_sum %penalized [0, 1] : tensor<16x16xf32> -> tensor<f32>
  %all = accel.add %sum, %other : tensor<f32>
  %loss = accel.cast %all : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  return
}
