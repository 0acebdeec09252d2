// RUN: accel-opt %s --accel-fold-empty-tensors --split-input-file | FileCheck %s

// Nothing in front of something adds nothing.
// CHECK-LABEL: func @concat
// CHECK-SAME: %[[X:.+]]: tensor<2x4xf32>
func.func @concat(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x8xf32>) {
  %n = accel.slice %x [0, 4] strides [1, 1] : tensor<2x4xf32> -> tensor<2x0xf32>
  %a = accel.concat %n, %x axis 1 : tensor<2x0xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  // CHECK-NEXT: %[[B:.+]] = accel.concat %[[X]], %[[X]] axis 1
  %b = accel.concat %x, %n, %x axis 1 : tensor<2x4xf32>, tensor<2x0xf32>, tensor<2x4xf32> -> tensor<2x8xf32>
  // CHECK-NEXT: return %[[X]], %[[B]]
  return %a, %b : tensor<2x4xf32>, tensor<2x8xf32>
}

// -----

// Sums and products over no elements are 0; the largest of none is the lowest number.
// CHECK-LABEL: func @reductions
func.func @reductions(%x: tensor<2x4xf32>, %i: tensor<4xi32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<i32>) {
  // CHECK-DAG: %[[ZERO:.+]] = accel.constant dense<0.000000e+00> : tensor<2xf32>
  // CHECK-DAG: %[[LOWEST:.+]] = accel.constant dense<0xFF800000> : tensor<2xf32>
  // CHECK-DAG: %[[PRODUCT:.+]] = accel.constant dense<0.000000e+00> : tensor<2x2xf32>
  // CHECK-DAG: %[[INTEGER:.+]] = accel.constant dense<-2147483648> : tensor<i32>
  %n = accel.slice %x [0, 0] strides [1, 1] : tensor<2x4xf32> -> tensor<2x0xf32>
  %none = accel.slice %i [0] strides [1] : tensor<4xi32> -> tensor<0xi32>
  %s = accel.reduce_sum %n [1] : tensor<2x0xf32> -> tensor<2xf32>
  %m = accel.reduce_max %n [1] : tensor<2x0xf32> -> tensor<2xf32>
  %p = accel.matmul %n, %n {transpose_rhs} : tensor<2x0xf32>, tensor<2x0xf32> -> tensor<2x2xf32>
  %l = accel.reduce_max %none [0] : tensor<0xi32> -> tensor<i32>
  // CHECK: return %[[ZERO]], %[[LOWEST]], %[[PRODUCT]], %[[INTEGER]]
  return %s, %m, %p, %l : tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<i32>
}

// -----

// A part without elements that nobody reads is cut off.
// CHECK-LABEL: func @unread
func.func @unread(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: return
  %n = accel.slice %x [0, 4] strides [1, 1] : tensor<2x4xf32> -> tensor<2x0xf32>
  return %x : tensor<2x4xf32>
}

// -----

// What has elements stays as it is.
// CHECK-LABEL: func @whole
func.func @whole(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: accel.reduce_sum
  %s = accel.reduce_sum %x [1] : tensor<2x4xf32> -> tensor<2xf32>
  return %s : tensor<2xf32>
}
