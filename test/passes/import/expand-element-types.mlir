// RUN: accel-opt %s --accel-expand-element-types --split-input-file | FileCheck %s
// RUN: accel-opt %s --accel-expand-element-types=differentiable=true --split-input-file | FileCheck %s --check-prefix=TRAIN

// Arithmetic is f32 and rounded after each operation; what only moves elements stays.
// CHECK-LABEL: func.func @forward
// CHECK-NEXT: %[[WIDE:.+]] = accel.cast %arg0 : tensor<2x4xbf16> -> tensor<2x4xf32>
// CHECK-NEXT: %[[EXP:.+]] = accel.exp %[[WIDE]] : tensor<2x4xf32>
// CHECK-NEXT: %[[ROUNDED:.+]] = accel.cast %[[EXP]] : tensor<2x4xf32> -> tensor<2x4xbf16>
// CHECK-NEXT: %[[MOVED:.+]] = accel.transpose %[[ROUNDED]] [1, 0] : tensor<2x4xbf16> -> tensor<4x2xbf16>
// CHECK-NEXT: %[[SUM:.+]] = accel.matmul %arg0, %[[MOVED]] : tensor<2x4xbf16>, tensor<4x2xbf16> -> tensor<2x2xf32>
// CHECK-NEXT: accel.cast %[[SUM]] : tensor<2x2xf32> -> tensor<2x2xbf16>
// CHECK-NEXT: %[[LEFT:.+]] = accel.cast %arg0
// CHECK-NEXT: accel.compare gt, %[[LEFT]], %[[LEFT]] : tensor<2x4xf32> -> tensor<2x4xi1>
func.func @forward(%x: tensor<2x4xbf16>) -> (tensor<2x2xbf16>, tensor<2x4xi1>) {
  %e = accel.exp %x : tensor<2x4xbf16>
  %t = accel.transpose %e [1, 0] : tensor<2x4xbf16> -> tensor<4x2xbf16>
  %y = accel.matmul %x, %t : tensor<2x4xbf16>, tensor<4x2xbf16> -> tensor<2x2xbf16>
  %c = accel.compare gt, %x, %x : tensor<2x4xbf16> -> tensor<2x4xi1>
  return %y, %c : tensor<2x2xbf16>, tensor<2x4xi1>
}

// -----

// A product of doubles, of the transposes of both sides. What is summed lies in memory one behind the other, or the products would.
// CHECK-LABEL: func.func @doubles
// CHECK: %[[TURNED:.+]] = accel.transpose %arg0 [0, 2, 1] stored : tensor<5x3x2xf64> -> tensor<5x2x3xf64>
// CHECK: %[[LEFT:.+]] = accel.broadcast %[[TURNED]] [0, 1, 3] : tensor<5x2x3xf64> -> tensor<5x2x4x3xf64>
// CHECK: %[[RIGHT:.+]] = accel.broadcast %arg1 [0, 2, 3] : tensor<5x4x3xf64> -> tensor<5x2x4x3xf64>
// CHECK: %[[PRODUCTS:.+]] = accel.mul %[[LEFT]], %[[RIGHT]]
// CHECK: accel.reduce_sum %[[PRODUCTS]] [3] : tensor<5x2x4x3xf64> -> tensor<5x2x4xf64>
func.func @doubles(%a: tensor<5x3x2xf64>, %b: tensor<5x4x3xf64>) -> tensor<5x2x4xf64> {
  %y = accel.matmul %a, %b {transpose_lhs, transpose_rhs} : tensor<5x3x2xf64>, tensor<5x4x3xf64> -> tensor<5x2x4xf64>
  return %y : tensor<5x2x4xf64>
}

// -----

// CHECK-LABEL: func.func @floats
// CHECK-NEXT: accel.matmul
// CHECK-NEXT: accel.exp
// CHECK-NEXT: return
func.func @floats(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %p = accel.matmul %a, %a : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  %y = accel.exp %p : tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}

// -----

// Before gradients are built a product is one of f32 as well, whose operands are exact, and one of doubles stays what it is.
// TRAIN-LABEL: func.func @trained
// TRAIN-NEXT: %[[LEFT:.+]] = accel.cast %arg0 : tensor<2x2xbf16> -> tensor<2x2xf32>
// TRAIN-NEXT: %[[SUM:.+]] = accel.matmul %[[LEFT]], %[[LEFT]] : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// TRAIN-NEXT: accel.cast %[[SUM]] : tensor<2x2xf32> -> tensor<2x2xbf16>
// TRAIN-NEXT: accel.matmul %arg1, %arg1 : tensor<2x2xf64>, tensor<2x2xf64> -> tensor<2x2xf64>
func.func @trained(%x: tensor<2x2xbf16>, %d: tensor<2x2xf64>) -> (tensor<2x2xbf16>, tensor<2x2xf64>) {
  %y = accel.matmul %x, %x : tensor<2x2xbf16>, tensor<2x2xbf16> -> tensor<2x2xbf16>
  %z = accel.matmul %d, %d : tensor<2x2xf64>, tensor<2x2xf64> -> tensor<2x2xf64>
  return %y, %z : tensor<2x2xbf16>, tensor<2x2xf64>
}
