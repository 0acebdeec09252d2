// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, operations that move elements, and reductions print as they are written, and parse again.
// RUN: accel-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @sources
func.func @sources() {
  // CHECK: accel.constant dense<1.500000e+00> : tensor<4x8xf32>
  %splat = accel.constant dense<1.5> : tensor<4x8xf32>
  // CHECK: accel.constant dense<[1, -2]> : tensor<2xi64>
  %values = accel.constant dense<[1, -2]> : tensor<2xi64>
  // CHECK: accel.constant dense_resource<weights> : tensor<2xi64>
  %resource = accel.constant dense_resource<weights> : tensor<2xi64>
  // CHECK: accel.iota 1 : tensor<4x8xi64>
  %index = accel.iota 1 : tensor<4x8xi64>
  return
}

// CHECK-LABEL: func.func @small_floats
func.func @small_floats(%x: tensor<4x8xf8E4M3FN>, %row: tensor<8xf8E8M0FNU>, %ids: tensor<3xi64>) {
  // CHECK: accel.constant dense<[1.500000e+00, 4.480000e+02]> : tensor<2xf8E4M3FN>
  %values = accel.constant dense<[1.5, 448.0]> : tensor<2xf8E4M3FN>
  // CHECK: accel.constant dense<2.500000e-01> : tensor<2xf8E8M0FNU>
  %scales = accel.constant dense<0.25> : tensor<2xf8E8M0FNU>
  // CHECK: accel.reshape %{{.+}} : tensor<4x8xf8E4M3FN> -> tensor<32xf8E4M3FN>
  %reshape = accel.reshape %x : tensor<4x8xf8E4M3FN> -> tensor<32xf8E4M3FN>
  // CHECK: accel.transpose %{{.+}} [1, 0] : tensor<4x8xf8E4M3FN> -> tensor<8x4xf8E4M3FN>
  %transpose = accel.transpose %x [1, 0] : tensor<4x8xf8E4M3FN> -> tensor<8x4xf8E4M3FN>
  // CHECK: accel.broadcast %{{.+}} [1] : tensor<8xf8E8M0FNU> -> tensor<4x8xf8E8M0FNU>
  %rows = accel.broadcast %row [1] : tensor<8xf8E8M0FNU> -> tensor<4x8xf8E8M0FNU>
  // CHECK: accel.slice %{{.+}} [0, 1] strides [1, 3] : tensor<4x8xf8E4M3FN> -> tensor<4x3xf8E4M3FN>
  %slice = accel.slice %x [0, 1] strides [1, 3] : tensor<4x8xf8E4M3FN> -> tensor<4x3xf8E4M3FN>
  // CHECK: accel.split %{{.+}} axis 1 : tensor<4x8xf8E4M3FN> -> tensor<4x2xf8E4M3FN>, tensor<4x6xf8E4M3FN>
  %split:2 = accel.split %x axis 1 : tensor<4x8xf8E4M3FN> -> tensor<4x2xf8E4M3FN>, tensor<4x6xf8E4M3FN>
  // CHECK: accel.concat %{{.+}}, %{{.+}} axis 1 : tensor<4x2xf8E4M3FN>, tensor<4x6xf8E4M3FN> -> tensor<4x8xf8E4M3FN>
  %concat = accel.concat %split#0, %split#1 axis 1 : tensor<4x2xf8E4M3FN>, tensor<4x6xf8E4M3FN> -> tensor<4x8xf8E4M3FN>
  // CHECK: accel.gather %{{.+}}, %{{.+}} : tensor<4x8xf8E4M3FN>, tensor<3xi64> -> tensor<3x8xf8E4M3FN>
  %gather = accel.gather %x, %ids : tensor<4x8xf8E4M3FN>, tensor<3xi64> -> tensor<3x8xf8E4M3FN>
  return
}

// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<4x8xf32>, %row: tensor<8xf32>, %unit: tensor<1x8xf32>, %scalar: tensor<f32>) {
  // CHECK: accel.reshape %{{.+}} : tensor<4x8xf32> -> tensor<2x2x8xf32>
  %reshape = accel.reshape %x : tensor<4x8xf32> -> tensor<2x2x8xf32>
  // CHECK: accel.transpose %{{.+}} [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %transpose = accel.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: accel.broadcast %{{.+}} [1] : tensor<8xf32> -> tensor<4x8xf32>
  %rows = accel.broadcast %row [1] : tensor<8xf32> -> tensor<4x8xf32>
  // CHECK: accel.broadcast %{{.+}} [0, 1] : tensor<1x8xf32> -> tensor<4x8xf32>
  %units = accel.broadcast %unit [0, 1] : tensor<1x8xf32> -> tensor<4x8xf32>
  // CHECK: accel.broadcast %{{.+}} [] : tensor<f32> -> tensor<4x8xf32>
  %all = accel.broadcast %scalar [] : tensor<f32> -> tensor<4x8xf32>
  // The last element taken is the last of its dimension.
  // CHECK: accel.slice %{{.+}} [0, 1] strides [1, 3] : tensor<4x8xf32> -> tensor<4x3xf32>
  %slice = accel.slice %x [0, 1] strides [1, 3] : tensor<4x8xf32> -> tensor<4x3xf32>
  // An empty slice may begin where its operand ends.
  // CHECK: accel.slice %{{.+}} [4, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<0x8xf32>
  %empty = accel.slice %x [4, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<0x8xf32>
  // CHECK: accel.pad %{{.+}} [0, 2] strides [1, 3] : tensor<4x8xf32> -> tensor<4x24xf32>
  %pad = accel.pad %x [0, 2] strides [1, 3] : tensor<4x8xf32> -> tensor<4x24xf32>
  return
}

// CHECK-LABEL: func.func @parts
func.func @parts(%x: tensor<4x12xf32>) {
  // CHECK: %[[PARTS:.+]]:2 = accel.split %{{.+}} axis 1 : tensor<4x12xf32> -> tensor<4x4xf32>, tensor<4x8xf32>
  %a, %b = accel.split %x axis 1 : tensor<4x12xf32> -> tensor<4x4xf32>, tensor<4x8xf32>
  // CHECK: accel.concat %[[PARTS]]#0, %[[PARTS]]#1 axis 1 : tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x12xf32>
  %c = accel.concat %a, %b axis 1 : tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x12xf32>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<4x8x2xf32>, %i: tensor<4x8xi64>) {
  // CHECK: accel.reduce_sum %{{.+}} [0, 2] : tensor<4x8x2xf32> -> tensor<8xf32>
  %sum = accel.reduce_sum %x [0, 2] : tensor<4x8x2xf32> -> tensor<8xf32>
  // CHECK: accel.reduce_max %{{.+}} [1] : tensor<4x8xi64> -> tensor<4xi64>
  %max = accel.reduce_max %i [1] : tensor<4x8xi64> -> tensor<4xi64>
  // CHECK: accel.reduce_min %{{.+}} [0, 1, 2] : tensor<4x8x2xf32> -> tensor<f32>
  %min = accel.reduce_min %x [0, 1, 2] : tensor<4x8x2xf32> -> tensor<f32>
  // CHECK: accel.cumsum %{{.+}} axis 1 : tensor<4x8xi64>
  %running = accel.cumsum %i axis 1 : tensor<4x8xi64>
  // CHECK: accel.cumsum %{{.+}} axis 0 exclusive reverse : tensor<4x8x2xf32>
  %other = accel.cumsum %x axis 0 exclusive reverse : tensor<4x8x2xf32>
  return
}

// Before Import binds them, sizes may be unknown: they fit any other.
// CHECK-LABEL: func.func @unknown_sizes
func.func @unknown_sizes(%x: tensor<?x8xf32>, %y: tensor<8x?xf32>, %row: tensor<8xf32>) {
  %z = accel.matmul %x, %y : tensor<?x8xf32>, tensor<8x?xf32> -> tensor<?x?xf32>
  %t = accel.transpose %z [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %r = accel.reshape %t : tensor<?x?xf32> -> tensor<?xf32>
  %b = accel.broadcast %row [1] : tensor<8xf32> -> tensor<?x8xf32>
  %s = accel.slice %b [1, 0] strides [1, 1] : tensor<?x8xf32> -> tensor<?x8xf32>
  // CHECK: accel.concat
  %c = accel.concat %s, %b axis 0 : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  return
}

{-#
  dialect_resources: { builtin: { weights: "0x080000000100000000000000FEFFFFFFFFFFFFFF" } }
#-}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<4x9x8x5xf32>) -> tensor<4x9x8x5xf32> {
  // CHECK: accel.windows %{{.+}} axes [1, 2] sizes [3, 2] strides [2, 1] dilations [1, 2] : tensor<4x9x8x5xf32> -> tensor<4x4x6x5x3x2xf32>
  %w = accel.windows %x axes [1, 2] sizes [3, 2] strides [2, 1] dilations [1, 2] : tensor<4x9x8x5xf32> -> tensor<4x4x6x5x3x2xf32>
  // CHECK: accel.reduce_max %{{.+}} [4, 5] first : tensor<4x4x6x5x3x2xf32> -> tensor<4x4x6x5xf32>
  %m = accel.reduce_max %w [4, 5] first : tensor<4x4x6x5x3x2xf32> -> tensor<4x4x6x5xf32>
  // CHECK: accel.sum_windows %{{.+}} axes [1, 2] sizes [3, 2] strides [2, 1] dilations [1, 2] : tensor<4x4x6x5x3x2xf32> -> tensor<4x9x8x5xf32>
  %s = accel.sum_windows %w axes [1, 2] sizes [3, 2] strides [2, 1] dilations [1, 2] : tensor<4x4x6x5x3x2xf32> -> tensor<4x9x8x5xf32>
  return %s : tensor<4x9x8x5xf32>
}
