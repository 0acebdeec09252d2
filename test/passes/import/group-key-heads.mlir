// RUN: accel-opt %s --accel-group-key-heads --split-input-file | FileCheck %s

// Two key heads, each repeated for three query heads: once with the group as a new dimension, once as one of size 1.
// CHECK-LABEL: func @grouped
// CHECK-SAME: %[[Q:.+]]: tensor<2x6x5x4xf32>, %[[K:.+]]: tensor<2x2x7x4xf32>, %[[V:.+]]: tensor<2x2x7x3xf32>
// CHECK-NEXT: %[[Y:[^,]+]], %{{.+}} = accel.attention %[[Q]], %[[K]], %[[V]] scale 5.000000e-01 causal : tensor<2x6x5x4xf32>, tensor<2x2x7x4xf32>, tensor<2x2x7x3xf32> -> tensor<2x6x5x3xf32>, tensor<2x6x5xf32>
// CHECK-NEXT: return %[[Y]]
func.func @grouped(%q: tensor<2x6x5x4xf32>, %k: tensor<2x2x7x4xf32>, %v: tensor<2x2x7x3xf32>) -> tensor<2x6x5x3xf32> {
  %kb = accel.broadcast %k [0, 1, 3, 4] : tensor<2x2x7x4xf32> -> tensor<2x2x3x7x4xf32>
  %kr = accel.reshape %kb : tensor<2x2x3x7x4xf32> -> tensor<2x6x7x4xf32>
  %v1 = accel.reshape %v : tensor<2x2x7x3xf32> -> tensor<2x2x1x7x3xf32>
  %vb = accel.broadcast %v1 [0, 1, 2, 3, 4] : tensor<2x2x1x7x3xf32> -> tensor<2x2x3x7x3xf32>
  %vr = accel.reshape %vb : tensor<2x2x3x7x3xf32> -> tensor<2x6x7x3xf32>
  %y, %lse = accel.attention %q, %kr, %vr scale 0.5 causal : tensor<2x6x5x4xf32>, tensor<2x6x7x4xf32>, tensor<2x6x7x3xf32> -> tensor<2x6x5x3xf32>, tensor<2x6x5xf32>
  return %y : tensor<2x6x5x3xf32>
}

// -----

// All query heads share one; heads that come in another shape get their four dimensions.
// CHECK-LABEL: func @shared
// CHECK-SAME: %[[Q:.+]]: tensor<2x3x5x4xf32>, %[[K:.+]]: tensor<2x5x4xf32>
// CHECK: %[[HEADS:.+]] = accel.reshape %[[K]] : tensor<2x5x4xf32> -> tensor<2x1x5x4xf32>
// CHECK: accel.attention %[[Q]], %{{.+}}, %{{.+}} scale 5.000000e-01 : tensor<2x3x5x4xf32>, tensor<2x1x5x4xf32>, tensor<2x1x5x4xf32>
func.func @shared(%q: tensor<2x3x5x4xf32>, %k: tensor<2x5x4xf32>) -> tensor<2x3x5x4xf32> {
  %kb = accel.broadcast %k [0, 3, 4] : tensor<2x5x4xf32> -> tensor<2x1x3x5x4xf32>
  %kr = accel.reshape %kb : tensor<2x1x3x5x4xf32> -> tensor<2x3x5x4xf32>
  %y, %lse = accel.attention %q, %kr, %kr scale 0.5 : tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32> -> tensor<2x3x5x4xf32>, tensor<2x3x5xf32>
  return %y : tensor<2x3x5x4xf32>
}

// -----

// Only the keys are repeated: the operation has as many value heads as key heads.
// CHECK-LABEL: func @keys_only
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} scale 5.000000e-01 : tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>
func.func @keys_only(%q: tensor<2x6x5x4xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x6x5x4xf32>) -> tensor<2x6x5x4xf32> {
  %kb = accel.broadcast %k [0, 1, 3, 4] : tensor<2x2x5x4xf32> -> tensor<2x2x3x5x4xf32>
  %kr = accel.reshape %kb : tensor<2x2x3x5x4xf32> -> tensor<2x6x5x4xf32>
  %y, %lse = accel.attention %q, %kr, %v scale 0.5 : tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32> -> tensor<2x6x5x4xf32>, tensor<2x6x5xf32>
  return %y : tensor<2x6x5x4xf32>
}

// -----

// Keys in groups of three, values in groups of two.
// CHECK-LABEL: func @unequal
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} scale 5.000000e-01 : tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>
func.func @unequal(%q: tensor<2x6x5x4xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x3x5x4xf32>) -> tensor<2x6x5x4xf32> {
  %kb = accel.broadcast %k [0, 1, 3, 4] : tensor<2x2x5x4xf32> -> tensor<2x2x3x5x4xf32>
  %kr = accel.reshape %kb : tensor<2x2x3x5x4xf32> -> tensor<2x6x5x4xf32>
  %vb = accel.broadcast %v [0, 1, 3, 4] : tensor<2x3x5x4xf32> -> tensor<2x3x2x5x4xf32>
  %vr = accel.reshape %vb : tensor<2x3x2x5x4xf32> -> tensor<2x6x5x4xf32>
  %y, %lse = accel.attention %q, %kr, %vr scale 0.5 : tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32> -> tensor<2x6x5x4xf32>, tensor<2x6x5xf32>
  return %y : tensor<2x6x5x4xf32>
}

// -----

// The group outside: heads 0 1 0 1 0 1, which no grouping of the operation means.
// CHECK-LABEL: func @outside
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} scale 5.000000e-01 : tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>
func.func @outside(%q: tensor<2x6x5x4xf32>, %k: tensor<2x2x5x4xf32>) -> tensor<2x6x5x4xf32> {
  %kb = accel.broadcast %k [0, 2, 3, 4] : tensor<2x2x5x4xf32> -> tensor<2x3x2x5x4xf32>
  %kr = accel.reshape %kb : tensor<2x3x2x5x4xf32> -> tensor<2x6x5x4xf32>
  %y, %lse = accel.attention %q, %kr, %kr scale 0.5 : tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32> -> tensor<2x6x5x4xf32>, tensor<2x6x5xf32>
  return %y : tensor<2x6x5x4xf32>
}

// -----

// Positions are repeated, or positions as well as heads.
// CHECK-LABEL: func @positions
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} scale 5.000000e-01 : tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>
func.func @positions(%q: tensor<2x6x5x4xf32>, %k: tensor<2x2x3x1x4xf32>, %v: tensor<2x2x1x1x4xf32>) -> tensor<2x6x5x4xf32> {
  %kb = accel.broadcast %k [0, 1, 2, 3, 4] : tensor<2x2x3x1x4xf32> -> tensor<2x2x3x5x4xf32>
  %kr = accel.reshape %kb : tensor<2x2x3x5x4xf32> -> tensor<2x6x5x4xf32>
  %vb = accel.broadcast %v [0, 1, 2, 3, 4] : tensor<2x2x1x1x4xf32> -> tensor<2x2x3x5x4xf32>
  %vr = accel.reshape %vb : tensor<2x2x3x5x4xf32> -> tensor<2x6x5x4xf32>
  %y, %lse = accel.attention %q, %kr, %vr scale 0.5 : tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32>, tensor<2x6x5x4xf32> -> tensor<2x6x5x4xf32>, tensor<2x6x5xf32>
  return %y : tensor<2x6x5x4xf32>
}
