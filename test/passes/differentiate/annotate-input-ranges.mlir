// RUN: accel-opt %s --accel-annotate-input-ranges | FileCheck %s

accel.parameter @tokens : tensor<256x8xf32> trainable
accel.parameter @segments : tensor<2x8xf32> trainable
accel.parameter @small : tensor<100x8xf32> trainable

// The range comes from the tables that an input chooses rows of, the smallest of several; also through views.
// CHECK-LABEL: func @forward
// CHECK-SAME: {accel.name = "ids", accel.range = [0, 99]}
// CHECK-SAME: {accel.name = "segment", accel.range = [0, 1]}
// CHECK-SAME: {accel.name = "free"}
func.func @forward(%ids: tensor<2x4xi64> {accel.name = "ids"}, %segment: tensor<2x4xi64> {accel.name = "segment"}, %free: tensor<2x4xi64> {accel.name = "free"})
    -> (tensor<2x4x8xf32> {accel.name = "y"}, tensor<2x4xi64> {accel.name = "z"}) {
  %t = accel.read @tokens : tensor<256x8xf32>
  %a = accel.gather %t, %ids : tensor<256x8xf32>, tensor<2x4xi64> -> tensor<2x4x8xf32>
  %m = accel.read @small : tensor<100x8xf32>
  %b = accel.gather %m, %ids : tensor<100x8xf32>, tensor<2x4xi64> -> tensor<2x4x8xf32>
  %s = accel.read @segments : tensor<2x8xf32>
  %flat = accel.reshape %segment : tensor<2x4xi64> -> tensor<8xi64>
  %c = accel.gather %s, %flat : tensor<2x8xf32>, tensor<8xi64> -> tensor<8x8xf32>
  %d = accel.reshape %c : tensor<8x8xf32> -> tensor<2x4x8xf32>
  %e = accel.add %a, %b : tensor<2x4x8xf32>
  %y = accel.add %e, %d : tensor<2x4x8xf32>
  %z = accel.add %free, %free : tensor<2x4xi64>
  return %y, %z : tensor<2x4x8xf32>, tensor<2x4xi64>
}
