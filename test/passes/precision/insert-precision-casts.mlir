// RUN: split-file %s %t
// RUN: accel-opt %t/products.mlir --accel-insert-precision-casts=precision=bf16 | FileCheck %t/products.mlir
// RUN: accel-opt %t/products.mlir --accel-insert-precision-casts='precision=bf16 target=compute_80' | FileCheck %t/products.mlir --check-prefix=STORED
// RUN: accel-opt %t/products.mlir --accel-insert-precision-casts='precision=bf16 target=compute_80' --accel-verify-precision
// RUN: accel-opt %t/attention.mlir --accel-insert-precision-casts=precision=bf16 | FileCheck %t/attention.mlir
// RUN: accel-opt %t/views.mlir --accel-insert-precision-casts=precision=bf16 | FileCheck %t/views.mlir
// What the pass makes is what the verifier wants.
// RUN: for name in products attention views; do accel-opt %t/$name.mlir --accel-insert-precision-casts=precision=bf16 --accel-verify-precision || exit 1; done
// RUN: accel-opt %t/gelu.mlir --accel-insert-precision-casts='precision=bf16 target=sm_90' --accel-verify-precision | FileCheck %t/gelu.mlir
// RUN: accel-opt %t/gelu.mlir --accel-insert-precision-casts='precision=bf16 target=sm_80' --accel-verify-precision | FileCheck %t/gelu.mlir --check-prefix=APART
// RUN: accel-opt %t/gelu.mlir --accel-insert-precision-casts='precision=bf16 fp8=current target=sm_90' --accel-verify-precision | FileCheck %t/gelu.mlir --check-prefix=FP8
// With f32, which is the default, nothing changes.
// RUN: accel-opt %t/products.mlir -o %t/before.mlir
// RUN: accel-opt %t/products.mlir --accel-insert-precision-casts | diff %t/before.mlir -
// RUN: accel-opt %t/products.mlir --accel-insert-precision-casts=precision=f32 --accel-verify-precision | diff %t/before.mlir -

//--- products.mlir
// Two products with their bias, activation and gradients.
// CHECK: module attributes {accel.precision = bf16}
// CHECK: accel.parameter @w : tensor<8x16xf32> trainable compute bf16{{$}}
// CHECK: accel.parameter @v : tensor<16x8xf32> trainable compute bf16{{$}}
// No product reads the bias: it stays f32.
// CHECK: accel.parameter @b : tensor<16xf32> trainable{{$}}
accel.parameter @w : tensor<8x16xf32> trainable
accel.parameter @v : tensor<16x8xf32> trainable
accel.parameter @b : tensor<16xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK-LABEL: func.func @microbatch
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>
func.func @microbatch(%x: tensor<4x8xf32> {accel.name = "x"}) {
  // Both operands of a product are rounded, the input by a cast and the parameter in its segment. The sum is f32.
  // CHECK-DAG: %[[LOWX:.+]] = accel.cast %[[X]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  // CHECK-DAG: %[[W:.+]] = accel.read @w : tensor<8x16xbf16>
  // CHECK: %[[Z:.+]] = accel.matmul %[[LOWX]], %[[W]] : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xf32>
  // Where another kernel reads the sums they are rounded, those of gradients as well; behind the bias, which the library adds and reads low.
  // STORED: accel.parameter @b : tensor<16xf32> trainable compute bf16{{$}}
  // STORED: %[[Z:.+]] = accel.matmul %{{.+}} -> tensor<4x16xf32>
  // STORED: %[[LOWB:.+]] = accel.read @b : tensor<16xbf16>
  // STORED: %[[LOWROWS:.+]] = accel.broadcast %[[LOWB]] [1] : tensor<16xbf16> -> tensor<4x16xbf16>
  // STORED-NEXT: %[[ROWS:.+]] = accel.cast %[[LOWROWS]] : tensor<4x16xbf16> -> tensor<4x16xf32>
  // STORED-NEXT: %[[A:.+]] = accel.add %[[Z]], %[[ROWS]] : tensor<4x16xf32>
  // STORED-NEXT: %[[LOWA:.+]] = accel.cast %[[A]] : tensor<4x16xf32> -> tensor<4x16xbf16>
  // STORED-NEXT: %[[WIDEA:.+]] = accel.cast %[[LOWA]]
  // STORED-NEXT: accel.tanh %[[WIDEA]]
  // STORED: accel.matmul {{.*}} as weight_gradient {{.*}} -> tensor<16x8xf32>
  // STORED-NEXT: accel.accumulate @v,
  // STORED: %[[GH:.+]] = accel.matmul {{.*}} as input_gradient
  // STORED-NEXT: accel.cast %[[GH]] : tensor<4x16xf32> -> tensor<4x16xbf16>
  %w = accel.read @w : tensor<8x16xf32>
  %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  // The bias and the activation are computed of the unrounded sum, and the end of the chain is rounded once.
  // CHECK: %[[B:.+]] = accel.read @b : tensor<16xf32>
  // CHECK: %[[ROWS:.+]] = accel.broadcast %[[B]] [1] : tensor<16xf32> -> tensor<4x16xf32>
  // CHECK-NEXT: %[[A:.+]] = accel.add %[[Z]], %[[ROWS]] : tensor<4x16xf32>
  // CHECK-NEXT: %[[H:.+]] = accel.tanh %[[A]] : tensor<4x16xf32>
  // CHECK-NEXT: %[[LOWH:.+]] = accel.cast %[[H]] : tensor<4x16xf32> -> tensor<4x16xbf16>
  // CHECK-NEXT: %[[WIDEH:.+]] = accel.cast %[[LOWH]] : tensor<4x16xbf16> -> tensor<4x16xf32>
  %b = accel.read @b : tensor<16xf32>
  %rows = accel.broadcast %b [1] : tensor<16xf32> -> tensor<4x16xf32>
  %a = accel.add %z, %rows : tensor<4x16xf32>
  %h = accel.tanh %a : tensor<4x16xf32>
  // The next product reads it as it is stored.
  // CHECK: %[[V:.+]] = accel.read @v : tensor<16x8xbf16>
  // CHECK: %[[Y:.+]] = accel.matmul %[[LOWH]], %[[V]] : tensor<4x16xbf16>, tensor<16x8xbf16> -> tensor<4x8xf32>
  // CHECK-NEXT: %[[LOWY:.+]] = accel.cast %[[Y]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  // CHECK-NEXT: %[[WIDEY:.+]] = accel.cast %[[LOWY]] : tensor<4x8xbf16> -> tensor<4x8xf32>
  %v = accel.read @v : tensor<16x8xf32>
  %y = accel.matmul %h, %v : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  // The loss is computed in f32 of what is stored.
  // CHECK: %[[LOSS:.+]] = accel.reduce_sum %[[WIDEY]] [0, 1] : tensor<4x8xf32> -> tensor<f32>
  // CHECK-NEXT: accel.cast %[[LOSS]] : tensor<f32> -> tensor<f64>
  %sum = accel.reduce_sum %y [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  // CHECK: %[[GY:.+]] = accel.neg %[[WIDEY]] : tensor<4x8xf32>
  // CHECK-NEXT: %[[LOWGY:.+]] = accel.cast %[[GY]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  // CHECK: %[[GV:.+]] = accel.matmul %[[LOWH]], %[[LOWGY]] as weight_gradient {transpose_lhs} : tensor<4x16xbf16>, tensor<4x8xbf16> -> tensor<16x8xf32>
  %gy = accel.neg %y : tensor<4x8xf32>
  %gv = accel.matmul %h, %gy as weight_gradient {transpose_lhs} : tensor<4x16xf32>, tensor<4x8xf32> -> tensor<16x8xf32>
  // The gradient of a weight is not rounded.
  // CHECK-NEXT: accel.accumulate @v, %[[GV]] : tensor<16x8xf32>
  accel.accumulate @v, %gv : tensor<16x8xf32>
  // The gradient of an activation is, behind what is computed of it element by element.
  // CHECK-NEXT: %[[GH:.+]] = accel.matmul %[[LOWGY]], %[[V]] as input_gradient {transpose_rhs} : tensor<4x8xbf16>, tensor<16x8xbf16> -> tensor<4x16xf32>
  // CHECK-NEXT: %[[GA:.+]] = accel.mul %[[GH]], %[[WIDEH]] : tensor<4x16xf32>
  // CHECK-NEXT: %[[LOWGA:.+]] = accel.cast %[[GA]] : tensor<4x16xf32> -> tensor<4x16xbf16>
  // CHECK-NEXT: %[[WIDEGA:.+]] = accel.cast %[[LOWGA]] : tensor<4x16xbf16> -> tensor<4x16xf32>
  %gh = accel.matmul %gy, %v as input_gradient {transpose_rhs} : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  %ga = accel.mul %gh, %h : tensor<4x16xf32>
  // The gradient of a bias is summed in f32 and stays so.
  // CHECK-NEXT: %[[GB:.+]] = accel.reduce_sum %[[WIDEGA]] [0] : tensor<4x16xf32> -> tensor<16xf32>
  // CHECK-NEXT: accel.accumulate @b, %[[GB]] : tensor<16xf32>
  %gb = accel.reduce_sum %ga [0] : tensor<4x16xf32> -> tensor<16xf32>
  accel.accumulate @b, %gb : tensor<16xf32>
  // CHECK-NEXT: %[[GW:.+]] = accel.matmul %[[LOWX]], %[[LOWGA]] as weight_gradient {transpose_lhs} : tensor<4x8xbf16>, tensor<4x16xbf16> -> tensor<8x16xf32>
  // CHECK-NEXT: accel.accumulate @w, %[[GW]] : tensor<8x16xf32>
  %gw = accel.matmul %x, %ga as weight_gradient {transpose_lhs} : tensor<4x8xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  accel.accumulate @w, %gw : tensor<8x16xf32>
  return
}

//--- gelu.mlir
// With their products a library computes GELU, of the sums before they are rounded, and its gradient, at what is stored of them, whose factor is not rounded.
accel.parameter @w : tensor<16x16xf32> trainable
accel.parameter @v : tensor<16x16xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK-LABEL: func.func @microbatch
// APART-LABEL: func.func @microbatch
func.func @microbatch(%x: tensor<16x16xf32> {accel.name = "x"}) {
  // CHECK: %[[Z:.+]] = accel.matmul {{.*}} -> tensor<16x16xf32>
  // CHECK-NEXT: %[[KEPT:.+]] = accel.cast %[[Z]] : tensor<16x16xf32> -> tensor<16x16xbf16>
  // CHECK: accel.gelu tanh, %[[Z]] : tensor<16x16xf32>
  // CHECK: %[[G:.+]] = accel.matmul {{.*}} as input_gradient
  // CHECK-NEXT: %[[D:.+]] = accel.gelu_grad tanh, %[[G]], %[[KEPT]] : tensor<16x16xf32>, tensor<16x16xbf16>
  // CHECK-NEXT: accel.cast %[[D]] : tensor<16x16xf32> -> tensor<16x16xbf16>
  // A product of 8 bits keeps its kernel of GELU.
  // FP8: %[[WIDE:.+]] = accel.cast %{{.+}} : tensor<16x16xbf16> -> tensor<16x16xf32>
  // FP8-NEXT: accel.gelu tanh, %[[WIDE]]
  // APART: %[[WIDE:.+]] = accel.cast %{{.+}} : tensor<16x16xbf16> -> tensor<16x16xf32>
  // APART-NEXT: accel.gelu tanh, %[[WIDE]]
  // APART: accel.matmul {{.*}} as input_gradient
  // APART: %[[WIDEG:.+]] = accel.cast %{{.+}} : tensor<16x16xbf16> -> tensor<16x16xf32>
  // APART-NEXT: accel.gelu_grad tanh, %[[WIDEG]], %[[WIDE]] : tensor<16x16xf32>, tensor<16x16xf32>
  %w = accel.read @w : tensor<16x16xf32>
  %z = accel.matmul %x, %w : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %h = accel.gelu tanh, %z : tensor<16x16xf32>
  %v = accel.read @v : tensor<16x16xf32>
  %y = accel.matmul %h, %v : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %loss = accel.reduce_sum %y [0, 1] : tensor<16x16xf32> -> tensor<f32>
  %sum = accel.cast %loss : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %sum : tensor<f64>
  %one = accel.constant dense<1.0> : tensor<16x16xf32>
  %gy = accel.mul %one, %y : tensor<16x16xf32>
  %gv = accel.matmul %h, %gy as weight_gradient {transpose_lhs} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  accel.accumulate @v, %gv : tensor<16x16xf32>
  %gh = accel.matmul %gy, %v as input_gradient {transpose_rhs} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %gz = accel.gelu_grad tanh, %gh, %z : tensor<16x16xf32>, tensor<16x16xf32>
  %gw = accel.matmul %x, %gz as weight_gradient {transpose_lhs} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  accel.accumulate @w, %gw : tensor<16x16xf32>
  return
}

//--- attention.mlir
// Attention reads and makes bf16; its mask and the logarithms of its sums are f32. A view of what is low is low.
// CHECK-LABEL: func.func @microbatch
accel.parameter @w : tensor<8x8xf32> trainable
accel.parameter @mask : tensor<1x1x4x4xf32>
accel.state @loss_sum accumulator : tensor<f64>
func.func @microbatch(%x: tensor<4x8xf32> {accel.name = "x"}) {
  %w = accel.read @w : tensor<8x8xf32>
  // CHECK: %[[Z:.+]] = accel.matmul %{{.+}}, %{{.+}} : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
  // CHECK-NEXT: %[[LOWZ:.+]] = accel.cast %[[Z]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  // CHECK: %[[Q:.+]] = accel.reshape %[[LOWZ]] : tensor<4x8xbf16> -> tensor<1x1x4x8xbf16>
  %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %q = accel.reshape %z : tensor<4x8xf32> -> tensor<1x1x4x8xf32>
  // CHECK: %[[MASK:.+]] = accel.read @mask : tensor<1x1x4x4xf32>
  %mask = accel.read @mask : tensor<1x1x4x4xf32>
  // CHECK: %[[Y:.+]], %[[LSE:.+]] = accel.attention %[[Q]], %[[Q]], %[[Q]] mask %[[MASK]] : tensor<1x1x4x4xf32> scale 1.000000e+00 : tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16> -> tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>
  // CHECK-NEXT: %[[WIDE:.+]] = accel.cast %[[Y]] : tensor<1x1x4x8xbf16> -> tensor<1x1x4x8xf32>
  %y, %lse = accel.attention %q, %q, %q mask %mask : tensor<1x1x4x4xf32> scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32> -> tensor<1x1x4x8xf32>, tensor<1x1x4xf32>
  // CHECK: accel.reduce_sum %[[WIDE]] [0, 1, 2, 3]
  %sum = accel.reduce_sum %y [0, 1, 2, 3] : tensor<1x1x4x8xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  // CHECK: %[[G:.+]] = accel.neg %[[WIDE]]
  // CHECK-NEXT: %[[LOWG:.+]] = accel.cast %[[G]] : tensor<1x1x4x8xf32> -> tensor<1x1x4x8xbf16>
  // CHECK: %[[GQ:.+]], %{{.+}}, %{{.+}} = accel.attention_grad %[[LOWG]], %[[Q]], %[[Q]], %[[Q]], %[[Y]], %[[LSE]] mask %[[MASK]] : tensor<1x1x4x4xf32> scale 1.000000e+00 : tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>
  %g = accel.neg %y : tensor<1x1x4x8xf32>
  %gq, %gk, %gs = accel.attention_grad %g, %q, %q, %q, %y, %lse mask %mask : tensor<1x1x4x4xf32> scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4xf32>
  // CHECK: %[[GZ:.+]] = accel.reshape %[[GQ]] : tensor<1x1x4x8xbf16> -> tensor<4x8xbf16>
  // CHECK: accel.matmul %{{.+}}, %[[GZ]] as weight_gradient
  %gz = accel.reshape %gq : tensor<1x1x4x8xf32> -> tensor<4x8xf32>
  %gw = accel.matmul %x, %gz as weight_gradient {transpose_lhs} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  accel.accumulate @w, %gw : tensor<8x8xf32>
  return
}

//--- views.mlir
// A parameter that products read through a view is read low, and what else reads it gets it widened.
// CHECK: accel.parameter @w : tensor<8x2x4xf32> trainable compute bf16{{$}}
accel.parameter @w : tensor<8x2x4xf32> trainable
accel.parameter @c : tensor<8xf32> trainable
accel.parameter @image : tensor<4x4x4x8xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK-LABEL: func.func @microbatch
func.func @microbatch(%x: tensor<4x8xf32> {accel.name = "x"}) {
  // CHECK: %[[W:.+]] = accel.read @w : tensor<8x2x4xbf16>
  // CHECK-NEXT: %[[WIDE:.+]] = accel.cast %[[W]] : tensor<8x2x4xbf16> -> tensor<8x2x4xf32>
  // CHECK: %[[FLAT:.+]] = accel.reshape %[[W]] : tensor<8x2x4xbf16> -> tensor<8x8xbf16>
  // CHECK: accel.matmul %{{.+}}, %[[FLAT]] : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
  %w = accel.read @w : tensor<8x2x4xf32>
  %flat = accel.reshape %w : tensor<8x2x4xf32> -> tensor<8x8xf32>
  %z = accel.matmul %x, %flat : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // So are windows: every second row and column of an image, of which a convolution of 1 x 1 makes channels.
  // CHECK: %[[IMAGE:.+]] = accel.read @image : tensor<4x4x4x8xbf16>
  // CHECK-NEXT: accel.windows %[[IMAGE]]
  // CHECK: accel.reduce_sum %[[WIDE]] [0, 1, 2]
  %moved = accel.read @image : tensor<4x4x4x8xf32>
  %windows = accel.windows %moved axes [1, 2] sizes [1, 1] strides [2, 2] dilations [1, 1] : tensor<4x4x4x8xf32> -> tensor<4x2x2x8x1x1xf32>
  %places = accel.reshape %windows : tensor<4x2x2x8x1x1xf32> -> tensor<16x8xf32>
  %channels = accel.matmul %places, %flat : tensor<16x8xf32>, tensor<8x8xf32> -> tensor<16x8xf32>
  %sums = accel.reduce_sum %channels [0] : tensor<16x8xf32> -> tensor<8xf32>
  accel.accumulate @c, %sums : tensor<8xf32>
  %norm = accel.reduce_sum %w [0, 1, 2] : tensor<8x2x4xf32> -> tensor<f32>
  %all = accel.broadcast %norm [] : tensor<f32> -> tensor<4x8xf32>
  %scaled = accel.mul %z, %all : tensor<4x8xf32>
  %sum = accel.reduce_sum %scaled [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %loss = accel.cast %sum : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  return
}
