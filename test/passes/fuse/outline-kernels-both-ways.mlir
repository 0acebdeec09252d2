// RUN: accel-opt %s --accel-outline-kernels | FileCheck %s

accel.parameter @w : tensor<5x5xf32> trainable

// One operand is the sum of each row, the other the sums of all rows. These have to be whole before, so the loop that makes
// them takes no part of the difference.
// CHECK-LABEL: func.func @step
// CHECK: %[[SUMS:.+]] = call @reduce_sum_0
// CHECK-NEXT: %[[DIFFERENCES:.+]] = call @sub_0(%[[SUMS]])
// CHECK-NEXT: accel.accumulate @w, %[[DIFFERENCES]]
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<5x5xf32>
  %s = accel.reduce_sum %x [1] : tensor<5x5xf32> -> tensor<5xf32>
  %own = accel.broadcast %s [0] : tensor<5xf32> -> tensor<5x5xf32>
  %all = accel.broadcast %s [1] : tensor<5xf32> -> tensor<5x5xf32>
  %d = accel.sub %all, %own : tensor<5x5xf32>
  accel.accumulate @w, %d : tensor<5x5xf32>
  return
}
