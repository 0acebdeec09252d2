// RUN: accel-opt %s --accel-outline-kernels --split-input-file | FileCheck %s

accel.parameter @a : tensor<2xf32> trainable
accel.parameter @b : tensor<2xf32> trainable

// Sums over the rows of the same tensors are one kernel, which reads these once.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x2xf32>
  %d = accel.input "d" : tensor<4x2xf32>
  %ga = accel.reduce_sum %d [0] : tensor<4x2xf32> -> tensor<2xf32>
  accel.accumulate @a, %ga : tensor<2xf32>
  %p = accel.mul %x, %d : tensor<4x2xf32>
  %gb = accel.reduce_sum %p [0] : tensor<4x2xf32> -> tensor<2xf32>
  accel.accumulate @b, %gb : tensor<2xf32>
  // CHECK: %[[SUMS:.+]]:2 = call @reduce_sum_0
  // CHECK-DAG: accel.accumulate @a, %[[SUMS]]#
  // CHECK-DAG: accel.accumulate @b, %[[SUMS]]#
  // CHECK-NOT: call
  // CHECK: return
  return
}

// -----

accel.parameter @a : tensor<2xf32> trainable

// Of the same parameter, as a norm that is called twice has them, the kernel adds one, and a copy the other.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x2xf32>
  %d = accel.input "d" : tensor<4x2xf32>
  %first = accel.reduce_sum %d [0] : tensor<4x2xf32> -> tensor<2xf32>
  accel.accumulate @a, %first : tensor<2xf32>
  %p = accel.mul %x, %d : tensor<4x2xf32>
  %second = accel.reduce_sum %p [0] : tensor<4x2xf32> -> tensor<2xf32>
  accel.accumulate @a, %second : tensor<2xf32>
  // CHECK: %[[SUMS:.+]]:2 = call @reduce_sum_0
  // CHECK-DAG: accel.accumulate @a, %[[SUMS]]#0
  // CHECK-DAG: %[[COPY:.+]] = call @copy_0(%[[SUMS]]#1)
  // CHECK: accel.accumulate @a, %[[COPY]]
  return
}

// -----

accel.parameter @a : tensor<2xf32> trainable
accel.parameter @b : tensor<2xf32> trainable

// A sum of what is computed with another sum of the same rows comes behind it, in a kernel of its own: a scale in front of a batch norm has such a
// gradient.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x2xf32>
  %d = accel.input "d" : tensor<4x2xf32>
  %ga = accel.reduce_sum %d [0] : tensor<4x2xf32> -> tensor<2xf32>
  accel.accumulate @a, %ga : tensor<2xf32>
  %wide = accel.broadcast %ga [1] : tensor<2xf32> -> tensor<4x2xf32>
  %e = accel.sub %d, %wide : tensor<4x2xf32>
  %p = accel.mul %x, %e : tensor<4x2xf32>
  %gb = accel.reduce_sum %p [0] : tensor<4x2xf32> -> tensor<2xf32>
  accel.accumulate @b, %gb : tensor<2xf32>
  // CHECK: %[[FIRST:.+]] = call @reduce_sum_0
  // CHECK: call @reduce_sum_1({{.*}}%[[FIRST]]
  return
}
