// RUN: accel-opt %s --split-input-file --accel-outline-kernels | FileCheck %s

// Kernels that read one part of what lies in one piece of memory get that part, and so are one kernel: the steps of a recurrent layer.
// CHECK-LABEL: func.func @step
// CHECK: %[[E:.+]] = call @exp_0(%{{.+}})
// CHECK: %[[S:.+]]:3 = accel.split %[[E]] axis 0
// CHECK: %[[X:.+]] = call @matmul_4x8x8_0(%{{.+}}, %{{.+}}, %[[S]]#0)
// CHECK: call @matmul_4x8x8_0(%[[X]], %{{.+}}, %[[S]]#1)
accel.parameter @w : tensor<8x8xf32> trainable
accel.state @sum accumulator : tensor<4x8xf32>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<3x4x8xf32>
  %h0 = accel.input "h" : tensor<4x8xf32>
  %w = accel.read @w : tensor<8x8xf32>
  %e = accel.exp %x : tensor<3x4x8xf32>
  %s:3 = accel.split %e axis 0 : tensor<3x4x8xf32> -> tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  %a0 = accel.reshape %s#0 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %a1 = accel.reshape %s#1 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %a2 = accel.reshape %s#2 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %p0 = accel.matmul %h0, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %h1 = accel.add %p0, %a0 : tensor<4x8xf32>
  %p1 = accel.matmul %h1, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %h2 = accel.add %p1, %a1 : tensor<4x8xf32>
  %p2 = accel.matmul %h2, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %h3 = accel.add %p2, %a2 : tensor<4x8xf32>
  accel.accumulate @sum, %h3 : tensor<4x8xf32>
  return
}

// -----

// Parts that lie apart are no operands: each kernel knows which it reads.
// CHECK-LABEL: func.func @far
// CHECK: %[[E:.+]] = call @exp_0(%{{.+}})
// CHECK: %[[X:.+]] = call @matmul_4x8x8_0(%{{.+}}, %{{.+}}, %[[E]])
// CHECK: call @matmul_4x8x8_1(%[[X]], %{{.+}}, %[[E]])
accel.parameter @w : tensor<8x8xf32> trainable
accel.state @sum accumulator : tensor<4x8xf32>
func.func @far() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x3x8xf32>
  %h0 = accel.input "h" : tensor<4x8xf32>
  %w = accel.read @w : tensor<8x8xf32>
  %e = accel.exp %x : tensor<4x3x8xf32>
  %s:3 = accel.split %e axis 1 : tensor<4x3x8xf32> -> tensor<4x1x8xf32>, tensor<4x1x8xf32>, tensor<4x1x8xf32>
  %a0 = accel.reshape %s#0 : tensor<4x1x8xf32> -> tensor<4x8xf32>
  %a1 = accel.reshape %s#1 : tensor<4x1x8xf32> -> tensor<4x8xf32>
  %a2 = accel.reshape %s#2 : tensor<4x1x8xf32> -> tensor<4x8xf32>
  %p0 = accel.matmul %h0, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %h1 = accel.add %p0, %a0 : tensor<4x8xf32>
  %p1 = accel.matmul %h1, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %h2 = accel.add %p1, %a1 : tensor<4x8xf32>
  %p2 = accel.matmul %h2, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %h3 = accel.add %p2, %a2 : tensor<4x8xf32>
  accel.accumulate @sum, %h3 : tensor<4x8xf32>
  return
}

// -----

// A kernel that reads two parts gets the whole. Many parts that lie apart because of the views in front of them are copied first, so that they lie in
// one piece each.
// CHECK-LABEL: func.func @scattered
// CHECK: %[[E:.+]] = call @exp_0(%{{.+}}) : (tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
// CHECK: %[[T:.+]] = call @copy_0(%[[E]]) : (tensor<4x16x8xf32>) -> tensor<16x4x8xf32>
// CHECK: call @mul_0(%[[T]]) : (tensor<16x4x8xf32>) -> tensor<4x8xf32>
accel.state @sum accumulator : tensor<4x8xf32>
func.func @scattered() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x16x8xf32>
  %e = accel.exp %x : tensor<4x16x8xf32>
  %t = accel.transpose %e [1, 0, 2] : tensor<4x16x8xf32> -> tensor<16x4x8xf32>
  %s:16 = accel.split %t axis 0 : tensor<16x4x8xf32> -> tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  %a = accel.reshape %s#0 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %b = accel.reshape %s#15 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %p = accel.mul %a, %b : tensor<4x8xf32>
  accel.accumulate @sum, %p : tensor<4x8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @few
// CHECK: %[[E:.+]] = call @exp_0(%{{.+}}) : (tensor<4x15x8xf32>) -> tensor<4x15x8xf32>
// CHECK-NEXT: call @mul_0(%[[E]]) : (tensor<4x15x8xf32>) -> tensor<4x8xf32>
accel.state @sum accumulator : tensor<4x8xf32>
func.func @few() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x15x8xf32>
  %e = accel.exp %x : tensor<4x15x8xf32>
  %t = accel.transpose %e [1, 0, 2] : tensor<4x15x8xf32> -> tensor<15x4x8xf32>
  %s:15 = accel.split %t axis 0 : tensor<15x4x8xf32> -> tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  %a = accel.reshape %s#0 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %b = accel.reshape %s#14 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %p = accel.mul %a, %b : tensor<4x8xf32>
  accel.accumulate @sum, %p : tensor<4x8xf32>
  return
}
