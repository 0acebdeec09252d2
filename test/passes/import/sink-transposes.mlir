// RUN: accel-opt %s --accel-sink-transposes --accel-clean-graph --split-input-file | FileCheck %s

// Bias, activation and residual between two convolutions are computed with the channels last; what is left is a transpose at the border.
// CHECK-LABEL: func @residual
// CHECK-SAME: %[[X:.+]]: tensor<2x5x4x8xf32>, %[[S:.+]]: tensor<2x5x4x8xf32>, %[[B:.+]]: tensor<8xf32>
func.func @residual(%x: tensor<2x5x4x8xf32>, %s: tensor<2x5x4x8xf32>, %b: tensor<8xf32>) -> (tensor<2x5x4x8xf32>, tensor<2x8x5x4xf32>) {
  %t = accel.transpose %x [0, 3, 1, 2] : tensor<2x5x4x8xf32> -> tensor<2x8x5x4xf32>
  %u = accel.transpose %s [0, 3, 1, 2] : tensor<2x5x4x8xf32> -> tensor<2x8x5x4xf32>
  // CHECK-DAG: %[[BB:.+]] = accel.broadcast %[[B]] [3] : tensor<8xf32> -> tensor<2x5x4x8xf32>
  // CHECK-DAG: %[[HALF:.+]] = accel.constant dense<5.000000e-01> : tensor<2x5x4x8xf32>
  %bb = accel.broadcast %b [1] : tensor<8xf32> -> tensor<2x8x5x4xf32>
  %half = accel.constant dense<0.5> : tensor<2x8x5x4xf32>
  // CHECK: %[[BIASED:.+]] = accel.add %[[X]], %[[BB]] : tensor<2x5x4x8xf32>
  %y = accel.add %t, %bb : tensor<2x8x5x4xf32>
  // CHECK: %[[SCALED:.+]] = accel.mul %[[BIASED]], %[[HALF]]
  %h = accel.mul %y, %half : tensor<2x8x5x4xf32>
  // CHECK: %[[SUM:.+]] = accel.add %[[SCALED]], %[[S]]
  %z = accel.add %h, %u : tensor<2x8x5x4xf32>
  // CHECK: %[[R:.+]] = accel.relu %[[SUM]]
  %r = accel.relu %z : tensor<2x8x5x4xf32>
  // CHECK: %[[BORDER:.+]] = accel.transpose %[[R]] [0, 3, 1, 2]
  // CHECK: return %[[R]], %[[BORDER]]
  %v = accel.transpose %r [0, 2, 3, 1] : tensor<2x8x5x4xf32> -> tensor<2x5x4x8xf32>
  return %v, %r : tensor<2x5x4x8xf32>, tensor<2x8x5x4xf32>
}

// -----

// Reductions find their dimensions elsewhere: a mean of channels, statistics of a norm, and a sum that leaves (c, h) of (h, c).
// CHECK-LABEL: func @reductions
func.func @reductions(%x: tensor<2x5x4x8xf32>) -> (tensor<2x8xf32>, tensor<8xf32>, tensor<8x5xf32>) {
  // CHECK-DAG: %[[MEAN:.+]] = accel.reduce_sum %arg0 [1, 2] : tensor<2x5x4x8xf32> -> tensor<2x8xf32>
  // CHECK-DAG: %[[LARGEST:.+]] = accel.reduce_max %arg0 [0, 1, 2] first : tensor<2x5x4x8xf32> -> tensor<8xf32>
  // CHECK-DAG: %[[KEPT:.+]] = accel.reduce_sum %arg0 [0, 2] : tensor<2x5x4x8xf32> -> tensor<5x8xf32>
  // CHECK: %[[MOVED:.+]] = accel.transpose %[[KEPT]] [1, 0]
  %t = accel.transpose %x [0, 3, 1, 2] : tensor<2x5x4x8xf32> -> tensor<2x8x5x4xf32>
  %a = accel.reduce_sum %t [2, 3] : tensor<2x8x5x4xf32> -> tensor<2x8xf32>
  %b = accel.reduce_max %t [0, 2, 3] first : tensor<2x8x5x4xf32> -> tensor<8xf32>
  %c = accel.reduce_sum %t [0, 3] : tensor<2x8x5x4xf32> -> tensor<8x5xf32>
  // CHECK: return %[[MEAN]], %[[LARGEST]], %[[MOVED]]
  return %a, %b, %c : tensor<2x8xf32>, tensor<8xf32>, tensor<8x5xf32>
}

// -----

// The first of equal elements would be another one if channels were counted last.
// CHECK-LABEL: func @first_of_channels
// CHECK: accel.reduce_max %{{.+}} [1, 2, 3] first : tensor<2x8x5x4xf32>
func.func @first_of_channels(%x: tensor<2x5x4x8xf32>) -> tensor<2xf32> {
  %t = accel.transpose %x [0, 3, 1, 2] : tensor<2x5x4x8xf32> -> tensor<2x8x5x4xf32>
  %a = accel.reduce_max %t [1, 2, 3] first : tensor<2x8x5x4xf32> -> tensor<2xf32>
  return %a : tensor<2xf32>
}

// -----

// Channels that are put side by side, zeros among them.
// CHECK-LABEL: func @concat
// CHECK: accel.concat %arg0, %{{.+}}, %arg1 axis 3 : tensor<2x5x4x8xf32>, tensor<2x5x4x1xf32>, tensor<2x5x4x3xf32> -> tensor<2x5x4x12xf32>
func.func @concat(%x: tensor<2x5x4x8xf32>, %y: tensor<2x5x4x3xf32>) -> tensor<2x12x5x4xf32> {
  %t = accel.transpose %x [0, 3, 1, 2] : tensor<2x5x4x8xf32> -> tensor<2x8x5x4xf32>
  %u = accel.transpose %y [0, 3, 1, 2] : tensor<2x5x4x3xf32> -> tensor<2x3x5x4xf32>
  %z = accel.constant dense<0.0> : tensor<2x1x5x4xf32>
  %c = accel.concat %t, %z, %u axis 1 : tensor<2x8x5x4xf32>, tensor<2x1x5x4xf32>, tensor<2x3x5x4xf32> -> tensor<2x12x5x4xf32>
  return %c : tensor<2x12x5x4xf32>
}

// -----

// What is not transposed, not a broadcast and not a splat keeps its order, and so does the sum with it. Matrices that are transposed are none with channels.
// CHECK-LABEL: func @others
func.func @others(%x: tensor<2x5x4x8xf32>, %y: tensor<2x8x5x4xf32>, %m: tensor<2x5x4xf32>) -> (tensor<2x8x5x4xf32>, tensor<2x4x5xf32>) {
  // CHECK-DAG: accel.add %{{.+}}, %arg1 : tensor<2x8x5x4xf32>
  // CHECK-DAG: accel.relu %{{.+}} : tensor<2x4x5xf32>
  %t = accel.transpose %x [0, 3, 1, 2] : tensor<2x5x4x8xf32> -> tensor<2x8x5x4xf32>
  %a = accel.add %t, %y : tensor<2x8x5x4xf32>
  %u = accel.transpose %m [0, 2, 1] : tensor<2x5x4xf32> -> tensor<2x4x5xf32>
  %r = accel.relu %u : tensor<2x4x5xf32>
  return %a, %r : tensor<2x8x5x4xf32>, tensor<2x4x5xf32>
}

// -----

// The patches of a vision transformer lie as their product made them.
// CHECK-LABEL: func @patches
// CHECK-NOT: accel.transpose
// CHECK: accel.reshape %arg0 : tensor<2x5x4x8xf32> -> tensor<2x20x8xf32>
func.func @patches(%x: tensor<2x5x4x8xf32>) -> tensor<2x20x8xf32> {
  %t = accel.transpose %x [0, 3, 1, 2] : tensor<2x5x4x8xf32> -> tensor<2x8x5x4xf32>
  %f = accel.reshape %t : tensor<2x8x5x4xf32> -> tensor<2x8x20xf32>
  %y = accel.transpose %f [0, 2, 1] : tensor<2x8x20xf32> -> tensor<2x20x8xf32>
  return %y : tensor<2x20x8xf32>
}
