// RUN: accel-opt %s --split-input-file --accel-outline-kernels --canonicalize | FileCheck %s

accel.parameter @w : tensor<8x16xf32> trainable
accel.parameter @b : tensor<16xf32> trainable
accel.parameter @g : tensor<4x8xf32> trainable

// The rows of a product that are not contiguous, the first position of each sample, are copied first. What follows the
// product is still computed by its kernel, which is there once.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[X:.+]] = accel.input "x"
  // CHECK: %[[W:.+]] = accel.read @w
  // CHECK: %[[B:.+]] = accel.read @b
  %x = accel.input "x" : tensor<4x7x8xf32>
  %w = accel.read @w : tensor<8x16xf32>
  %b = accel.read @b : tensor<16xf32>
  // CHECK: %[[ROWS:.+]] = call @copy_0(%[[X]])
  // CHECK-NEXT: %[[H:.+]] = call @matmul_4x16x8_relu_0(%[[ROWS]], %[[W]], %[[B]])
  // CHECK-NEXT: %[[Q:.+]] = call @matmul_4x8x16_0(%[[H]], %[[W]])
  // CHECK-NEXT: accel.accumulate @g, %[[Q]]
  %s = accel.slice %x [0, 0, 0] strides [1, 1, 1] : tensor<4x7x8xf32> -> tensor<4x1x8xf32>
  %f = accel.reshape %s : tensor<4x1x8xf32> -> tensor<4x8xf32>
  %p = accel.matmul %f, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %bb = accel.broadcast %b [1] : tensor<16xf32> -> tensor<4x16xf32>
  %a = accel.add %p, %bb : tensor<4x16xf32>
  %h = accel.relu %a : tensor<4x16xf32>
  %q = accel.matmul %h, %w {transpose_rhs} : tensor<4x16xf32>, tensor<8x16xf32> -> tensor<4x8xf32>
  accel.accumulate @g, %q : tensor<4x8xf32>
  return
}
// CHECK: func.func private @matmul_4x16x8_relu_0
// CHECK-NEXT: accel.matmul
// CHECK-NOT: matmul_4x16x8_relu_1

// -----

accel.state @loss_sum accumulator : tensor<f64>

// A gather of columns, the rows of a transposed table, is walked element by element: a sum that wants rows of its result
// has a kernel of its own.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[T:.+]] = accel.input "t"
  %t = accel.input "t" : tensor<4x6xf32>
  %i = accel.input "i" : tensor<1xi64>
  %u = accel.transpose %t [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // CHECK: %[[ROW:.+]] = call @gather_0(%[[T]], %{{.+}})
  %g = accel.gather %u, %i : tensor<6x4xf32>, tensor<1xi64> -> tensor<1x4xf32>
  // CHECK: call @reduce_sum_0(%[[ROW]])
  %r = accel.reduce_sum %g [0, 1] : tensor<1x4xf32> -> tensor<f32>
  %l = accel.cast %r : tensor<f32> -> tensor<f64>
  accel.accumulate @loss_sum, %l : tensor<f64>
  return
}
// CHECK: func.func private @gather_0
// CHECK-SAME: columns = 1 : i64

// -----

accel.parameter @a : tensor<12x1xf32> trainable
accel.parameter @b : tensor<12x1xf32> trainable

// A product of one column computes nothing behind its sums: it has no row to do so in.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<12x8xf32>
  %v = accel.input "v" : tensor<8x1xf32>
  %w = accel.input "w" : tensor<1x1xf32>
  %two = accel.constant dense<2.0> : tensor<12x1xf32>
  // CHECK: %[[P:.+]] = call @matmul_12x1x8_0
  %p = accel.matmul %x, %v : tensor<12x8xf32>, tensor<8x1xf32> -> tensor<12x1xf32>
  // CHECK: %[[M:.+]] = call @mul_0(%[[P]])
  %m = accel.mul %p, %two : tensor<12x1xf32>
  %q = accel.matmul %p, %w : tensor<12x1xf32>, tensor<1x1xf32> -> tensor<12x1xf32>
  %r = accel.matmul %m, %w : tensor<12x1xf32>, tensor<1x1xf32> -> tensor<12x1xf32>
  accel.accumulate @a, %q : tensor<12x1xf32>
  accel.accumulate @b, %r : tensor<12x1xf32>
  return
}

// -----

// An element of a vector has an address of its own: layers that read different ones share their kernel.
accel.state @factors counter : tensor<3xf32>
accel.parameter @g : tensor<4x8xf32> trainable
accel.parameter @h : tensor<4x8xf32> trainable
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[X:.+]] = accel.input "x"
  // CHECK: %[[F:.+]] = accel.read @factors
  // CHECK-DAG: %[[SECOND:.+]] = accel.slice %[[F]] [1] strides [1] : tensor<3xf32> -> tensor<1xf32>
  // CHECK-DAG: %[[THIRD:.+]] = accel.slice %[[F]] [2] strides [1] : tensor<3xf32> -> tensor<1xf32>
  // CHECK-DAG: call @mul_0(%[[X]], %[[SECOND]])
  // CHECK-DAG: call @mul_0(%[[X]], %[[THIRD]])
  %x = accel.input "x" : tensor<4x8xf32>
  %f = accel.read @factors : tensor<3xf32>
  %second = accel.slice %f [1] strides [1] : tensor<3xf32> -> tensor<1xf32>
  %s = accel.reshape %second : tensor<1xf32> -> tensor<f32>
  %bs = accel.broadcast %s [] : tensor<f32> -> tensor<4x8xf32>
  %p = accel.mul %x, %bs : tensor<4x8xf32>
  accel.accumulate @g, %p : tensor<4x8xf32>
  %third = accel.slice %f [2] strides [1] : tensor<3xf32> -> tensor<1xf32>
  %t = accel.reshape %third : tensor<1xf32> -> tensor<f32>
  %bt = accel.broadcast %t [] : tensor<f32> -> tensor<4x8xf32>
  %q = accel.mul %x, %bt : tensor<4x8xf32>
  accel.accumulate @h, %q : tensor<4x8xf32>
  return
}
// CHECK-NOT: @mul_1

// -----

// An element of what a kernel makes has none of its own.
accel.parameter @g : tensor<4x8xf32> trainable
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[X:.+]] = accel.input "x"
  // CHECK: %[[P:.+]] = call @exp_div_0(%[[X]]) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: accel.accumulate @g, %[[P]]
  %x = accel.input "x" : tensor<4x8xf32>
  %e = accel.exp %x : tensor<4x8xf32>
  %first = accel.slice %e [0, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  %s = accel.reshape %first : tensor<1x1xf32> -> tensor<f32>
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<4x8xf32>
  %p = accel.div %e, %b : tensor<4x8xf32>
  accel.accumulate @g, %p : tensor<4x8xf32>
  return
}

// -----

// What the rows of a sum are made of is added to itself transposed, as the gradients of contrastive pairs are. The copy
// of the transposed one lies behind the kernel that makes it, so what reads it is computed by another one.
accel.parameter @g : tensor<4x4xf32> trainable
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[X:.+]] = accel.input "x"
  // CHECK: %[[Y:.+]] = call @{{.*}}(%[[X]]) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[Z:.+]] = call @{{.*}}add{{.*}}(%[[Y]]) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: accel.accumulate @g, %[[Z]]
  %x = accel.input "x" : tensor<4x4xf32>
  %m = accel.reduce_max %x [1] : tensor<4x4xf32> -> tensor<4xf32>
  %r = accel.broadcast %m [0] : tensor<4xf32> -> tensor<4x4xf32>
  %y = accel.sub %x, %r : tensor<4x4xf32>
  %t = accel.transpose %y [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %z = accel.add %t, %y : tensor<4x4xf32>
  accel.accumulate @g, %z : tensor<4x4xf32>
  return
}
