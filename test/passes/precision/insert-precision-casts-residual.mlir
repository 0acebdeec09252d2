// What a transformer's block stores: embeddings, norms and the sums of two activations. With residual=bf16, which is the default,
// those sums are rounded; with residual=f32 they are not, and neither are the sums of two gradients.
// RUN: accel-opt %s --accel-insert-precision-casts=precision=bf16 | FileCheck %s --check-prefixes=CHECK,LOW
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 residual=bf16' | FileCheck %s --check-prefixes=CHECK,LOW
// RUN: accel-opt %s --accel-insert-precision-casts='precision=bf16 residual=f32' | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: for residual in bf16 f32; do accel-opt %s --accel-insert-precision-casts="precision=bf16 residual=$residual" --accel-verify-precision || exit 1; done

// CHECK: accel.parameter @tokens : tensor<32x8xf32> trainable compute bf16{{$}}
// CHECK: accel.parameter @positions : tensor<16x8xf32> trainable compute bf16{{$}}
// CHECK: accel.parameter @w : tensor<8x8xf32> trainable compute bf16{{$}}
// CHECK: accel.parameter @gain : tensor<8xf32> trainable{{$}}
accel.parameter @tokens : tensor<32x8xf32> trainable
accel.parameter @positions : tensor<16x8xf32> trainable
accel.parameter @w : tensor<8x8xf32> trainable
accel.parameter @gain : tensor<8xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// CHECK-LABEL: func.func @microbatch
func.func @microbatch(%ids: tensor<4xi64> {accel.name = "ids"}, %places: tensor<4xi64> {accel.name = "places"}) {
  // A look-up reads a low table, its ids stay what they are, and what it finds is as it is stored.
  // CHECK: %[[TABLE:.+]] = accel.read @tokens : tensor<32x8xbf16>
  // CHECK: %[[FOUND:.+]] = accel.gather %[[TABLE]], %{{.+}} : tensor<32x8xbf16>, tensor<4xi64> -> tensor<4x8xbf16>
  // CHECK-NEXT: %[[TOKENS:.+]] = accel.cast %[[FOUND]] : tensor<4x8xbf16> -> tensor<4x8xf32>
  %table = accel.read @tokens : tensor<32x8xf32>
  %tokens = accel.gather %table, %ids : tensor<32x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  // CHECK: %[[OTHER:.+]] = accel.gather %{{.+}}, %{{.+}} : tensor<16x8xbf16>, tensor<4xi64> -> tensor<4x8xbf16>
  // CHECK-NEXT: %[[PLACES:.+]] = accel.cast %[[OTHER]] : tensor<4x8xbf16> -> tensor<4x8xf32>
  %other = accel.read @positions : tensor<16x8xf32>
  %found = accel.gather %other, %places : tensor<16x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  // The sum of two embeddings is the beginning of the residual stream.
  // CHECK-NEXT: %[[SUM:.+]] = accel.add %[[TOKENS]], %[[PLACES]] : tensor<4x8xf32>
  // LOW-NEXT: %[[LOWSUM:.+]] = accel.cast %[[SUM]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  // LOW-NEXT: %[[X:.+]] = accel.cast %[[LOWSUM]] : tensor<4x8xbf16> -> tensor<4x8xf32>
  // LOW: accel.layer_norm %[[X]], %[[GAIN:.+]] epsilon
  // WIDE-NOT: accel.cast
  // WIDE: accel.layer_norm %[[SUM]], %[[GAIN:.+]] epsilon
  // CHECK-SAME: -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: %[[LOWN:.+]] = accel.cast %{{.+}} : tensor<4x8xf32> -> tensor<4x8xbf16>
  // Only a product reads the norm in forward direction, and it reads what was rounded. The statistics are not rounded.
  // CHECK-NOT: tensor<4xbf16>
  // CHECK: %[[Z:.+]] = accel.matmul %[[LOWN]], %{{.+}} : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
  %x = accel.add %tokens, %found : tensor<4x8xf32>
  %gain = accel.read @gain : tensor<8xf32>
  %n, %mean, %inverse = accel.layer_norm %x, %gain epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  %w = accel.read @w : tensor<8x8xf32>
  %z = accel.matmul %n, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // What a block adds to a low stream is computed of the unrounded product, and the sum is rounded once. A stream of f32 gets what was
  // rounded, as the block's result is stored.
  // LOW-NEXT: %[[R:.+]] = accel.add %[[X]], %[[Z]] : tensor<4x8xf32>
  // LOW-NEXT: %[[LOWR:.+]] = accel.cast %[[R]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  // LOW-NEXT: %[[STREAM:.+]] = accel.cast %[[LOWR]] : tensor<4x8xbf16> -> tensor<4x8xf32>
  // WIDE-NEXT: %[[LOWZ:.+]] = accel.cast %[[Z]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  // WIDE-NEXT: %[[WIDEZ:.+]] = accel.cast %[[LOWZ]] : tensor<4x8xbf16> -> tensor<4x8xf32>
  // WIDE-NEXT: %[[STREAM:.+]] = accel.add %[[SUM]], %[[WIDEZ]] : tensor<4x8xf32>
  // CHECK-NEXT: accel.reduce_sum %[[STREAM]] [0, 1]
  %r = accel.add %x, %z : tensor<4x8xf32>
  %all = accel.reduce_sum %r [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %loss = accel.cast %all : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %loss : tensor<f64>
  // CHECK: %[[GR:.+]] = accel.neg %[[STREAM]] : tensor<4x8xf32>
  // CHECK-NEXT: %[[LOWGR:.+]] = accel.cast %[[GR]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  %gr = accel.neg %r : tensor<4x8xf32>
  %gw = accel.matmul %n, %gr as weight_gradient {transpose_lhs} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  accel.accumulate @w, %gw : tensor<8x8xf32>
  // CHECK: %[[GN:.+]] = accel.matmul %[[LOWGR]], %{{.+}} as input_gradient
  %gn = accel.matmul %gr, %w as input_gradient {transpose_rhs} : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // CHECK: %[[ROWS:.+]] = accel.broadcast %{{.+}} [0] : tensor<4xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %[[GX:.+]] = accel.mul %[[GN]], %[[ROWS]] : tensor<4x8xf32>
  // LOW-NEXT: %[[GS:.+]] = accel.add %{{.+}}, %[[GX]] : tensor<4x8xf32>
  // LOW-NEXT: %[[LOWGS:.+]] = accel.cast %[[GS]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  // LOW-NEXT: %[[SCATTERED:.+]] = accel.cast %[[LOWGS]] : tensor<4x8xbf16> -> tensor<4x8xf32>
  // WIDE-NEXT: %[[LOWGX:.+]] = accel.cast %[[GX]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  // WIDE-NEXT: %[[WIDEGX:.+]] = accel.cast %[[LOWGX]] : tensor<4x8xbf16> -> tensor<4x8xf32>
  // WIDE-NEXT: %[[SCATTERED:.+]] = accel.add %{{.+}}, %[[WIDEGX]] : tensor<4x8xf32>
  // The gradient of a table is summed in f32.
  // CHECK-NEXT: %[[GT:.+]] = accel.scatter_add %{{.+}}, %[[SCATTERED]] : tensor<4xi64>, tensor<4x8xf32> -> tensor<32x8xf32>
  // CHECK-NEXT: accel.accumulate @tokens, %[[GT]] : tensor<32x8xf32>
  %rows = accel.broadcast %inverse [0] : tensor<4xf32> -> tensor<4x8xf32>
  %gx = accel.mul %gn, %rows : tensor<4x8xf32>
  %gs = accel.add %gr, %gx : tensor<4x8xf32>
  %gt = accel.scatter_add %ids, %gs : tensor<4xi64>, tensor<4x8xf32> -> tensor<32x8xf32>
  accel.accumulate @tokens, %gt : tensor<32x8xf32>
  return
}
