// RUN: accel-opt %s --accel-outline-kernels | FileCheck %s

accel.parameter @a : tensor<2xf32> trainable
accel.parameter @b : tensor<2xf32> trainable
accel.parameter @c : tensor<2xf32> trainable
accel.parameter @e : tensor<2xf32> trainable

// Factors of one product: the sum that is one factor's gradient computes what another's needs for itself, and reads all
// of them. A gradient lies beside its parameter, so nobody waits for those who read that.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x2xf32>
  %d = accel.input "d" : tensor<4x2xf32>
  %a = accel.read @a : tensor<2xf32>
  %b = accel.read @b : tensor<2xf32>
  %c = accel.read @c : tensor<2xf32>
  %e = accel.read @e : tensor<2xf32>
  %as = accel.broadcast %a [1] : tensor<2xf32> -> tensor<4x2xf32>
  %bs = accel.broadcast %b [1] : tensor<2xf32> -> tensor<4x2xf32>
  %cs = accel.broadcast %c [1] : tensor<2xf32> -> tensor<4x2xf32>
  %es = accel.broadcast %e [1] : tensor<2xf32> -> tensor<4x2xf32>
  %xa = accel.mul %x, %as : tensor<4x2xf32>
  %xb = accel.mul %xa, %bs : tensor<4x2xf32>
  %xc = accel.mul %xb, %cs : tensor<4x2xf32>
  %de = accel.mul %d, %es : tensor<4x2xf32>
  %pe = accel.mul %d, %xc : tensor<4x2xf32>
  %ge = accel.reduce_sum %pe [0] : tensor<4x2xf32> -> tensor<2xf32>
  accel.accumulate @e, %ge : tensor<2xf32>
  %dc = accel.mul %de, %cs : tensor<4x2xf32>
  %pc = accel.mul %de, %xb : tensor<4x2xf32>
  %gc = accel.reduce_sum %pc [0] : tensor<4x2xf32> -> tensor<2xf32>
  accel.accumulate @c, %gc : tensor<2xf32>
  %db = accel.mul %dc, %bs : tensor<4x2xf32>
  %pb = accel.mul %dc, %xa : tensor<4x2xf32>
  %gb = accel.reduce_sum %pb [0] : tensor<4x2xf32> -> tensor<2xf32>
  accel.accumulate @b, %gb : tensor<2xf32>
  %pa = accel.mul %db, %x : tensor<4x2xf32>
  %ga = accel.reduce_sum %pa [0] : tensor<4x2xf32> -> tensor<2xf32>
  accel.accumulate @a, %ga : tensor<2xf32>
  // CHECK: %[[E:.+]] = call @reduce_sum_0
  // CHECK-NEXT: accel.accumulate @e, %[[E]]
  // CHECK-NEXT: %[[C:.+]] = call @reduce_sum_1
  // CHECK-NEXT: accel.accumulate @c, %[[C]]
  // CHECK-NEXT: %[[B:.+]] = call @reduce_sum_2
  // CHECK-NEXT: accel.accumulate @b, %[[B]]
  // CHECK-NEXT: %[[A:.+]] = call @reduce_sum_3
  // CHECK-NEXT: accel.accumulate @a, %[[A]]
  return
}
// CHECK: func.func private @reduce_sum_0
