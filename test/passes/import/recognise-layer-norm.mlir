// RUN: accel-opt %s --accel-recognise-layer-norm --split-input-file --remarks-filter=accel-recognise-layer-norm --remark-format=emitRemark 2>&1 | FileCheck %s

// Mean and variance as sums times 1/c, the root as a reciprocal, a scale and no bias.
// CHECK: recognised layer norm, epsilon 1e-05
// CHECK-LABEL: func @reciprocal
// CHECK-SAME: %[[X:.+]]: tensor<2x3x8xf32>, %[[G:.+]]: tensor<8xf32>
// CHECK-NEXT: %[[Y:[^,]+]], %{{.+}}, %{{.+}} = accel.layer_norm %[[X]], %[[G]] epsilon 9.99999974
// CHECK-NEXT: return %[[Y]]
func.func @reciprocal(%x: tensor<2x3x8xf32>, %g: tensor<8xf32>) -> tensor<2x3x8xf32> {
  %c = accel.constant dense<0.125> : tensor<2x3xf32>
  %eps = accel.constant dense<1.0e-5> : tensor<2x3xf32>
  %one = accel.constant dense<1.0> : tensor<2x3xf32>
  %s = accel.reduce_sum %x [2] : tensor<2x3x8xf32> -> tensor<2x3xf32>
  %m = accel.mul %s, %c : tensor<2x3xf32>
  %mb = accel.broadcast %m [0, 1] : tensor<2x3xf32> -> tensor<2x3x8xf32>
  %d = accel.sub %x, %mb : tensor<2x3x8xf32>
  %dd = accel.mul %d, %d : tensor<2x3x8xf32>
  %vs = accel.reduce_sum %dd [2] : tensor<2x3x8xf32> -> tensor<2x3xf32>
  %v = accel.mul %vs, %c : tensor<2x3xf32>
  %ve = accel.add %v, %eps : tensor<2x3xf32>
  %sd = accel.sqrt %ve : tensor<2x3xf32>
  %r = accel.div %one, %sd : tensor<2x3xf32>
  %rb = accel.broadcast %r [0, 1] : tensor<2x3xf32> -> tensor<2x3x8xf32>
  %n = accel.mul %d, %rb : tensor<2x3x8xf32>
  %gb = accel.broadcast %g [2] : tensor<8xf32> -> tensor<2x3x8xf32>
  %y = accel.mul %gb, %n : tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// With bias, the square as a power, and accel.rsqrt; the second norm reads the first.
// CHECK-LABEL: func @two
// CHECK-SAME: %[[X:.+]]: tensor<3x8xf32>, %[[G:.+]]: tensor<8xf32>, %[[B:.+]]: tensor<8xf32>
// CHECK-NEXT: %[[Y:[^,]+]], %{{.+}}, %{{.+}} = accel.layer_norm %[[X]], %[[G]], %[[B]]
// CHECK-NEXT: %[[Z:[^,]+]], %{{.+}}, %{{.+}} = accel.layer_norm %[[Y]], %[[G]], %[[B]]
// CHECK-NEXT: return %[[Z]]
func.func @two(%x: tensor<3x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<3x8xf32> {
  %c = accel.constant dense<8.0> : tensor<3xf32>
  %eps = accel.constant dense<1.0e-5> : tensor<3xf32>
  %two = accel.constant dense<2.0> : tensor<3x8xf32>
  %gb = accel.broadcast %g [1] : tensor<8xf32> -> tensor<3x8xf32>
  %bb = accel.broadcast %b [1] : tensor<8xf32> -> tensor<3x8xf32>
  %s = accel.reduce_sum %x [1] : tensor<3x8xf32> -> tensor<3xf32>
  %m = accel.div %s, %c : tensor<3xf32>
  %mb = accel.broadcast %m [0] : tensor<3xf32> -> tensor<3x8xf32>
  %d = accel.sub %x, %mb : tensor<3x8xf32>
  %dd = accel.pow %d, %two : tensor<3x8xf32>
  %vs = accel.reduce_sum %dd [1] : tensor<3x8xf32> -> tensor<3xf32>
  %v = accel.div %vs, %c : tensor<3xf32>
  %ve = accel.add %eps, %v : tensor<3xf32>
  %r = accel.rsqrt %ve : tensor<3xf32>
  %rb = accel.broadcast %r [0] : tensor<3xf32> -> tensor<3x8xf32>
  %n = accel.mul %rb, %d : tensor<3x8xf32>
  %ng = accel.mul %n, %gb : tensor<3x8xf32>
  %y = accel.add %ng, %bb : tensor<3x8xf32>
  %s2 = accel.reduce_sum %y [1] : tensor<3x8xf32> -> tensor<3xf32>
  %m2 = accel.div %s2, %c : tensor<3xf32>
  %mb2 = accel.broadcast %m2 [0] : tensor<3xf32> -> tensor<3x8xf32>
  %d2 = accel.sub %y, %mb2 : tensor<3x8xf32>
  %dd2 = accel.pow %d2, %two : tensor<3x8xf32>
  %vs2 = accel.reduce_sum %dd2 [1] : tensor<3x8xf32> -> tensor<3xf32>
  %v2 = accel.div %vs2, %c : tensor<3xf32>
  %ve2 = accel.add %v2, %eps : tensor<3xf32>
  %r2 = accel.rsqrt %ve2 : tensor<3xf32>
  %rb2 = accel.broadcast %r2 [0] : tensor<3xf32> -> tensor<3x8xf32>
  %n2 = accel.mul %d2, %rb2 : tensor<3x8xf32>
  %ng2 = accel.mul %n2, %gb : tensor<3x8xf32>
  %z = accel.add %ng2, %bb : tensor<3x8xf32>
  return %z : tensor<3x8xf32>
}

// -----

// The variance of something else is no layer norm, nor is a mean over another number of elements.
// CHECK-LABEL: func @other
// CHECK-NOT: accel.layer_norm
func.func @other(%x: tensor<3x8xf32>, %z: tensor<3x8xf32>, %g: tensor<8xf32>) -> tensor<3x8xf32> {
  %c = accel.constant dense<0.125> : tensor<3xf32>
  %eps = accel.constant dense<1.0e-5> : tensor<3xf32>
  %s = accel.reduce_sum %x [1] : tensor<3x8xf32> -> tensor<3xf32>
  %m = accel.mul %s, %c : tensor<3xf32>
  %mb = accel.broadcast %m [0] : tensor<3xf32> -> tensor<3x8xf32>
  %d = accel.sub %x, %mb : tensor<3x8xf32>
  %zz = accel.mul %z, %z : tensor<3x8xf32>
  %vs = accel.reduce_sum %zz [1] : tensor<3x8xf32> -> tensor<3xf32>
  %v = accel.mul %vs, %c : tensor<3xf32>
  %ve = accel.add %v, %eps : tensor<3xf32>
  %r = accel.rsqrt %ve : tensor<3xf32>
  %rb = accel.broadcast %r [0] : tensor<3xf32> -> tensor<3x8xf32>
  %n = accel.mul %d, %rb : tensor<3x8xf32>
  %gb = accel.broadcast %g [1] : tensor<8xf32> -> tensor<3x8xf32>
  %y = accel.mul %n, %gb : tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// -----

// A product with a number, or with a column, is no scale of a row; neither stops the search.
// CHECK-LABEL: func @repeated
// CHECK-NOT: accel.layer_norm
func.func @repeated(%x: tensor<3x1xf32>, %y: tensor<3x3xf32>, %one: tensor<1xf32>, %g: tensor<3xf32>) -> (tensor<3x1xf32>, tensor<3x3xf32>) {
  %n = accel.reshape %one : tensor<1xf32> -> tensor<f32>
  %b = accel.broadcast %n [] : tensor<f32> -> tensor<3x1xf32>
  %a = accel.mul %x, %b : tensor<3x1xf32>
  %column = accel.reshape %g : tensor<3xf32> -> tensor<3x1xf32>
  %c = accel.constant dense<0.333333343> : tensor<3xf32>
  %eps = accel.constant dense<1.0e-5> : tensor<3xf32>
  %s = accel.reduce_sum %y [1] : tensor<3x3xf32> -> tensor<3xf32>
  %m = accel.mul %s, %c : tensor<3xf32>
  %mb = accel.broadcast %m [0] : tensor<3xf32> -> tensor<3x3xf32>
  %d = accel.sub %y, %mb : tensor<3x3xf32>
  %dd = accel.mul %d, %d : tensor<3x3xf32>
  %vs = accel.reduce_sum %dd [1] : tensor<3x3xf32> -> tensor<3xf32>
  %v = accel.mul %vs, %c : tensor<3xf32>
  %ve = accel.add %v, %eps : tensor<3xf32>
  %r = accel.rsqrt %ve : tensor<3xf32>
  %rb = accel.broadcast %r [0] : tensor<3xf32> -> tensor<3x3xf32>
  %norm = accel.mul %d, %rb : tensor<3x3xf32>
  %wide = accel.broadcast %column [0, 1] : tensor<3x1xf32> -> tensor<3x3xf32>
  %z = accel.mul %norm, %wide : tensor<3x3xf32>
  return %a, %z : tensor<3x1xf32>, tensor<3x3xf32>
}
