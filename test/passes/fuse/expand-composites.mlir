// RUN: accel-opt %s --accel-expand-composites | FileCheck %s
// RUN: accel-opt %s --accel-expand-composites=target=sm_80 | FileCheck %s
// RUN: accel-opt %s --accel-expand-composites=target=sm_120 | FileCheck %s
// RUN: accel-opt %s --accel-expand-composites=target=sm_90,sm_100,cpu | FileCheck %s --check-prefix=KEPT

// Softmax: maximum, exponentials, their sum, all in primitives.
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[MAX:.+]] = accel.reduce_max %arg0 [1]
  // CHECK: %[[SPREAD:.+]] = accel.broadcast %[[MAX]] [0]
  // CHECK: %[[SHIFTED:.+]] = accel.sub %arg0, %[[SPREAD]]
  // CHECK: %[[EXP:.+]] = accel.exp %[[SHIFTED]]
  // CHECK: accel.reduce_sum %[[EXP]] [1]
  // CHECK-NOT: accel.softmax
  // CHECK: return
  %y = accel.softmax %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The tanh form of GELU becomes x * sigmoid(2u): 1 + tanh(u) would cancel.
// CHECK-LABEL: func.func @gelu_tanh
func.func @gelu_tanh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NOT: accel.tanh
  // CHECK: %[[SIGMOID:.+]] = accel.sigmoid
  // CHECK: accel.mul %arg0, %[[SIGMOID]]
  %y = accel.gelu tanh, %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Its gradient is computed by tanh, at a number of fewer bits if that is what is stored.
// CHECK-LABEL: func.func @gelu_gradient
func.func @gelu_gradient(%g: tensor<4x8xf32>, %x: tensor<4x8xbf16>) -> tensor<4x8xf32> {
  // CHECK: accel.cast %arg1
  // CHECK: accel.tanh
  // CHECK: accel.mul %arg0,
  %y = accel.gelu_grad tanh, %g, %x : tensor<4x8xf32>, tensor<4x8xbf16>
  return %y : tensor<4x8xf32>
}

// Of the sums of a product, with their bias, cuBLASLt computes both, from Hopper on.
// CHECK-LABEL: func.func @with_product
// CHECK-NOT: accel.gelu
// KEPT-LABEL: func.func @with_product
// KEPT: %[[A:.+]] = accel.add
// KEPT: accel.gelu tanh, %[[A]]
func.func @with_product(%x: tensor<4x16xbf16>, %w: tensor<16x8xbf16>, %b: tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) {
  %p = accel.matmul %x, %w : tensor<4x16xbf16>, tensor<16x8xbf16> -> tensor<4x8xf32>
  %rows = accel.broadcast %b [1] : tensor<8xbf16> -> tensor<4x8xbf16>
  %wide = accel.cast %rows : tensor<4x8xbf16> -> tensor<4x8xf32>
  %a = accel.add %p, %wide : tensor<4x8xf32>
  %kept = accel.cast %a : tensor<4x8xf32> -> tensor<4x8xbf16>
  %y = accel.gelu tanh, %a : tensor<4x8xf32>
  %low = accel.cast %y : tensor<4x8xf32> -> tensor<4x8xbf16>
  return %kept, %low : tensor<4x8xbf16>, tensor<4x8xbf16>
}

// CHECK-LABEL: func.func @gradient_with_product
// CHECK-NOT: accel.gelu
// KEPT-LABEL: func.func @gradient_with_product
// KEPT: %[[P:.+]] = accel.matmul
// KEPT: accel.gelu_grad tanh, %[[P]], %arg2
func.func @gradient_with_product(%x: tensor<4x16xbf16>, %w: tensor<16x8xbf16>, %at: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %p = accel.matmul %x, %w as input_gradient : tensor<4x16xbf16>, tensor<16x8xbf16> -> tensor<4x8xf32>
  %y = accel.gelu_grad tanh, %p, %at : tensor<4x8xf32>, tensor<4x8xbf16>
  %low = accel.cast %y : tensor<4x8xf32> -> tensor<4x8xbf16>
  return %low : tensor<4x8xbf16>
}

// The exact form, rows that are no multiple of eight, numbers of another type than what is stored, sums that are not kept in one type with the result: kernels.
// KEPT-LABEL: func.func @apart
// KEPT-NOT: accel.gelu
// KEPT: return
func.func @apart(%x: tensor<4x16xbf16>, %w: tensor<16x8xbf16>, %odd: tensor<16x7xbf16>, %at: tensor<4x8xf32>) -> (tensor<4x8xbf16>, tensor<4x7xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xf32>) {
  %p0 = accel.matmul %x, %w : tensor<4x16xbf16>, tensor<16x8xbf16> -> tensor<4x8xf32>
  %y0 = accel.gelu none, %p0 : tensor<4x8xf32>
  %r0 = accel.cast %y0 : tensor<4x8xf32> -> tensor<4x8xbf16>
  %p1 = accel.matmul %x, %odd : tensor<4x16xbf16>, tensor<16x7xbf16> -> tensor<4x7xf32>
  %y1 = accel.gelu tanh, %p1 : tensor<4x7xf32>
  %r1 = accel.cast %y1 : tensor<4x7xf32> -> tensor<4x7xbf16>
  %p2 = accel.matmul %x, %w as input_gradient : tensor<4x16xbf16>, tensor<16x8xbf16> -> tensor<4x8xf32>
  %y2 = accel.gelu_grad tanh, %p2, %at : tensor<4x8xf32>, tensor<4x8xf32>
  %r2 = accel.cast %y2 : tensor<4x8xf32> -> tensor<4x8xbf16>
  %p3 = accel.matmul %x, %w : tensor<4x16xbf16>, tensor<16x8xbf16> -> tensor<4x8xf32>
  %r3 = accel.cast %p3 : tensor<4x8xf32> -> tensor<4x8xbf16>
  %y3 = accel.gelu tanh, %p3 : tensor<4x8xf32>
  return %r0, %r1, %r2, %r3, %y3 : tensor<4x8xbf16>, tensor<4x7xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xf32>
}

// Attention stays: it is a kernel of its own.
// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<1x2x8x16xf32>) -> tensor<1x2x8x16xf32> {
  // CHECK-NEXT: accel.attention
  // CHECK-NEXT: return
  %y, %lse = accel.attention %q, %q, %q scale 0.25 causal : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32> -> tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
  return %y : tensor<1x2x8x16xf32>
}

// A pad is a concatenation with zeros.
// CHECK-LABEL: func.func @pad
func.func @pad(%x: tensor<4x3xf32>) -> tensor<4x8xf32> {
  // CHECK: accel.concat %{{.*}}, %arg0, %{{.*}} axis 1 : tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x8xf32>
  %y = accel.pad %x [0, 2] strides [1, 1] : tensor<4x3xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A sum over a dimension in the middle is one over the last dimension of a transpose.
// CHECK-LABEL: func.func @middle_sum
func.func @middle_sum(%x: tensor<4x3x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[MOVED:.+]] = accel.transpose %arg0 [0, 2, 1]
  // CHECK: accel.reduce_sum %[[MOVED]] [2]
  %y = accel.reduce_sum %x [1] : tensor<4x3x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Sums over leading and over trailing dimensions have kernels and stay.
// CHECK-LABEL: func.func @outer_sums
func.func @outer_sums(%x: tensor<4x3x8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  // CHECK-NEXT: accel.reduce_sum %arg0 [0, 1]
  // CHECK-NEXT: accel.reduce_sum %arg0 [1, 2]
  %y = accel.reduce_sum %x [0, 1] : tensor<4x3x8xf32> -> tensor<8xf32>
  %z = accel.reduce_sum %x [1, 2] : tensor<4x3x8xf32> -> tensor<4xf32>
  return %y, %z : tensor<8xf32>, tensor<4xf32>
}

// A concatenation of many parts is one of concatenations.
// CHECK-LABEL: func.func @many
// CHECK: %[[A:.+]] = accel.concat %{{.+}} axis 0 : {{.+}} -> tensor<64x2xf32>
// CHECK: %[[B:.+]] = accel.concat %{{.+}} axis 0 : {{.+}} -> tensor<64x2xf32>
// CHECK: %[[C:.+]] = accel.concat %{{.+}}, %{{.+}} axis 0 : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
// CHECK: %[[ALL:.+]] = accel.concat %[[A]], %[[B]], %[[C]] axis 0 : tensor<64x2xf32>, tensor<64x2xf32>, tensor<2x2xf32> -> tensor<130x2xf32>
// CHECK: return %[[ALL]]
func.func @many(%x: tensor<1x2xf32>, %y: tensor<1x2xf32>) -> tensor<130x2xf32> {
  %z = accel.concat %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y axis 0 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32> -> tensor<130x2xf32>
  return %z : tensor<130x2xf32>
}
