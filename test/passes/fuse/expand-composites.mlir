// RUN: accel-opt %s --accel-expand-composites | FileCheck %s

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
