// RUN: accel-opt %s --accel-lay-out-attention | FileCheck %s

// Everybody reads the transposed result, others through its inverse.
// CHECK-LABEL: func.func @both
func.func @both(%q: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x8x4x16xf32>) {
  // CHECK: %[[Y:.+]], %{{.+}} = accel.attention
  // CHECK-NEXT: %[[T:.+]] = accel.transpose %[[Y]] [0, 2, 1, 3]
  // CHECK-NEXT: %[[BACK:.+]] = accel.transpose %[[T]] [0, 2, 1, 3]
  // CHECK-NEXT: %[[N:.+]] = accel.neg %[[BACK]]
  // CHECK-NEXT: return %[[N]], %[[T]]
  %y, %l = accel.attention %q, %q, %q scale 1.0 : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
  %n = accel.neg %y : tensor<2x4x8x16xf32>
  %t = accel.transpose %y [0, 2, 1, 3] : tensor<2x4x8x16xf32> -> tensor<2x8x4x16xf32>
  return %n, %t : tensor<2x4x8x16xf32>, tensor<2x8x4x16xf32>
}

// The inverse of a permutation that is not its own.
// CHECK-LABEL: func.func @cycle
func.func @cycle(%q: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<4x8x2x16xf32>) {
  // CHECK: %[[T:.+]] = accel.transpose %{{.+}} [1, 2, 0, 3]
  // CHECK-NEXT: %[[BACK:.+]] = accel.transpose %[[T]] [2, 0, 1, 3]
  // CHECK-NEXT: return %[[BACK]], %[[T]]
  %y, %l = accel.attention %q, %q, %q scale 1.0 : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
  %t = accel.transpose %y [1, 2, 0, 3] : tensor<2x4x8x16xf32> -> tensor<4x8x2x16xf32>
  return %y, %t : tensor<2x4x8x16xf32>, tensor<4x8x2x16xf32>
}

// What moves the last dimension is no order to write in.
// CHECK-LABEL: func.func @last
func.func @last(%q: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) {
  // CHECK: %[[Y:.+]], %{{.+}} = accel.attention
  // CHECK: %[[T:.+]] = accel.transpose %[[Y]] [0, 1, 3, 2]
  // CHECK-NEXT: return %[[Y]], %[[T]]
  %y, %l = accel.attention %q, %q, %q scale 1.0 : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
  %t = accel.transpose %y [0, 1, 3, 2] : tensor<2x4x8x16xf32> -> tensor<2x4x16x8xf32>
  return %y, %t : tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>
}
