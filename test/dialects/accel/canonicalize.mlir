// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What folds without computing: views that change nothing, views of views, views of one number, and neutral elements.
// RUN: accel-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @views_that_change_nothing
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf32>)
func.func @views_that_change_nothing(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = accel.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %b = accel.transpose %a [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %c = accel.broadcast %b [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %d = accel.slice %c [0, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %e = accel.pad %d [0, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %f = accel.concat %e axis 0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %g = accel.cast %f : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: return %[[X]]
  return %g : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @reshape_of_reshape
func.func @reshape_of_reshape(%x: tensor<4x8xf32>) -> tensor<2x16xf32> {
  // CHECK-NEXT: %[[Y:.+]] = accel.reshape %{{.+}} : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK-NEXT: return %[[Y]]
  %a = accel.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %b = accel.reshape %a : tensor<32xf32> -> tensor<2x16xf32>
  return %b : tensor<2x16xf32>
}

// CHECK-LABEL: func.func @reshape_there_and_back
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf32>)
func.func @reshape_there_and_back(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: return %[[X]]
  %a = accel.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %b = accel.reshape %a : tensor<32xf32> -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @transpose_of_transpose
func.func @transpose_of_transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  // CHECK-NEXT: %[[Y:.+]] = accel.transpose %{{.+}} [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  // CHECK-NEXT: return %[[Y]]
  %a = accel.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %b = accel.transpose %a [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  return %b : tensor<4x2x3xf32>
}

// A transpose between equal types still moves elements.
// CHECK-LABEL: func.func @transpose_of_square
func.func @transpose_of_square(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // CHECK-NEXT: accel.transpose
  %a = accel.transpose %x [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  return %a : tensor<3x3xf32>
}

// CHECK-LABEL: func.func @broadcast_of_broadcast
func.func @broadcast_of_broadcast(%x: tensor<1x5xf32>) -> tensor<2x3x4x5xf32> {
  // CHECK-NEXT: %[[Y:.+]] = accel.broadcast %{{.+}} [1, 3] : tensor<1x5xf32> -> tensor<2x3x4x5xf32>
  // CHECK-NEXT: return %[[Y]]
  %a = accel.broadcast %x [0, 2] : tensor<1x5xf32> -> tensor<3x4x5xf32>
  %b = accel.broadcast %a [1, 2, 3] : tensor<3x4x5xf32> -> tensor<2x3x4x5xf32>
  return %b : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func.func @slice_of_slice
func.func @slice_of_slice(%x: tensor<20xf32>) -> tensor<3xf32> {
  // Elements 1, 4, ..., 19; of those the second, fourth and sixth.
  // CHECK-NEXT: %[[Y:.+]] = accel.slice %{{.+}} [4] strides [6] : tensor<20xf32> -> tensor<3xf32>
  // CHECK-NEXT: return %[[Y]]
  %a = accel.slice %x [1] strides [3] : tensor<20xf32> -> tensor<7xf32>
  %b = accel.slice %a [1] strides [2] : tensor<7xf32> -> tensor<3xf32>
  return %b : tensor<3xf32>
}

// CHECK-LABEL: func.func @views_of_one_number
func.func @views_of_one_number() -> tensor<2x4xf32> {
  // CHECK-NEXT: %[[C:.+]] = accel.constant dense<2.000000e+00> : tensor<2x4xf32>
  // CHECK-NEXT: return %[[C]]
  %c = accel.constant dense<2.0> : tensor<8xf32>
  %a = accel.reshape %c : tensor<8xf32> -> tensor<1x8xf32>
  %b = accel.broadcast %a [0, 1] : tensor<1x8xf32> -> tensor<4x8xf32>
  %d = accel.transpose %b [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %e = accel.slice %d [1, 0] strides [4, 1] : tensor<8x4xf32> -> tensor<2x4xf32>
  return %e : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @neutral_elements
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
func.func @neutral_elements(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = accel.constant dense<1.0> : tensor<4xf32>
  %zero = accel.constant dense<0.0> : tensor<4xf32>
  %minus_zero = accel.constant dense<-0.0> : tensor<4xf32>
  %a = accel.mul %one, %x : tensor<4xf32>
  %b = accel.div %a, %one : tensor<4xf32>
  %c = accel.sub %b, %zero : tensor<4xf32>
  %d = accel.add %minus_zero, %c : tensor<4xf32>
  // CHECK-NEXT: return %[[X]]
  return %d : tensor<4xf32>
}

// Adding 0.0 makes 0.0 of -0.0, and a product with zero may not be a number.
// CHECK-LABEL: func.func @not_neutral
func.func @not_neutral(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = accel.constant dense<0.0> : tensor<4xf32>
  // CHECK: accel.add
  %a = accel.add %x, %zero : tensor<4xf32>
  // CHECK: accel.mul
  %b = accel.mul %a, %zero : tensor<4xf32>
  return %b : tensor<4xf32>
}

// CHECK-LABEL: func.func @neutral_integers
// CHECK-SAME: (%[[X:.+]]: tensor<4xi64>)
func.func @neutral_integers(%x: tensor<4xi64>) -> tensor<4xi64> {
  %one = accel.constant dense<1> : tensor<4xi64>
  %zero = accel.constant dense<0> : tensor<4xi64>
  %a = accel.mul %x, %one : tensor<4xi64>
  %b = accel.add %a, %zero : tensor<4xi64>
  // CHECK-NEXT: return %[[X]]
  return %b : tensor<4xi64>
}

// CHECK-LABEL: func.func @chosen
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<4xf32>, %[[P:.+]]: tensor<4xi1>)
func.func @chosen(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %yes = accel.constant dense<true> : tensor<4xi1>
  %no = accel.constant dense<false> : tensor<4xi1>
  %a = accel.select %yes, %x, %y : tensor<4xi1>, tensor<4xf32>
  %b = accel.select %no, %x, %y : tensor<4xi1>, tensor<4xf32>
  %c = accel.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  // CHECK-NEXT: return %[[X]], %[[Y]], %[[X]]
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Every use of a tied weight goes on reading the one symbol, and a write is never passed.
// CHECK-LABEL: func.func @reads_keep_their_order
func.func @reads_keep_their_order() -> (tensor<f64>, tensor<f64>) {
  // CHECK: %[[BEFORE:.+]] = accel.read @step
  // CHECK: accel.write @step
  // CHECK: %[[AFTER:.+]] = accel.read @step
  // CHECK: return %[[BEFORE]], %[[AFTER]]
  %one = accel.constant dense<1.0> : tensor<f64>
  %before = accel.read @step : tensor<f64>
  %next = accel.add %before, %one : tensor<f64>
  accel.write @step, %next : tensor<f64>
  %after = accel.read @step : tensor<f64>
  return %before, %after : tensor<f64>, tensor<f64>
}
accel.state @step counter : tensor<f64>

// Integers too: without it the sum's kernel would have nothing to add.
// CHECK-LABEL: func.func @sums_of_zeros
func.func @sums_of_zeros() -> (tensor<4xi64>, tensor<8xf32>) {
  // CHECK-DAG: %[[A:.+]] = accel.constant dense<0> : tensor<4xi64>
  // CHECK-DAG: %[[B:.+]] = accel.constant dense<0.000000e+00> : tensor<8xf32>
  // CHECK-NOT: accel.reduce_sum
  // CHECK: return %[[A]], %[[B]]
  %x = accel.constant dense<0> : tensor<4x8xi64>
  %y = accel.constant dense<0.0> : tensor<4x8xf32>
  %a = accel.reduce_sum %x [1] : tensor<4x8xi64> -> tensor<4xi64>
  %b = accel.reduce_sum %y [0] : tensor<4x8xf32> -> tensor<8xf32>
  return %a, %b : tensor<4xi64>, tensor<8xf32>
}
