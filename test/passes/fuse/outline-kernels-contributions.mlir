// RUN: accel-opt %s --accel-outline-kernels | FileCheck %s

// A kernel adds to a gradient once. What else it makes for the gradient is stored, and a copy adds it.
accel.parameter @p : tensor<32xf32> trainable
accel.parameter @q : tensor<32xf32> trainable
// CHECK-LABEL: func.func @microbatch
// CHECK: %[[K:.+]]:3 = call @[[KERNEL:[a-z_0-9]+]]
// CHECK: accel.accumulate @p, %[[K]]#0
// CHECK: %[[COPY:.+]] = call @copy_0(%[[K]]#1)
// CHECK: accel.accumulate @p, %[[COPY]]
// CHECK: accel.accumulate @q, %[[K]]#2
func.func @microbatch() attributes {accel.role = #accel.role<step>} {
  %p = accel.read @p : tensor<32xf32>
  %q = accel.read @q : tensor<32xf32>
  %c = accel.mul %p, %q : tensor<32xf32>
  %s = accel.sin %c : tensor<32xf32>
  %n = accel.neg %c : tensor<32xf32>
  %e = accel.exp %c : tensor<32xf32>
  accel.accumulate @p, %s : tensor<32xf32>
  accel.accumulate @p, %n : tensor<32xf32>
  accel.accumulate @q, %e : tensor<32xf32>
  return
}
