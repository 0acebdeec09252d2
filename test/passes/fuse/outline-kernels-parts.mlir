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

// Many parts that lie apart because of the views in front of them are copied first, so that they lie in one piece each.
// CHECK-LABEL: func.func @scattered
// CHECK: %[[E:.+]] = call @exp_0(%{{.+}}) : (tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
// CHECK: call @copy_0(%[[E]]) : (tensor<4x16x8xf32>) -> tensor<16x4x8xf32>
accel.state @sum accumulator : tensor<4x8xf32>
func.func @scattered() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x16x8xf32>
  %e = accel.exp %x : tensor<4x16x8xf32>
  %t = accel.transpose %e [1, 0, 2] : tensor<4x16x8xf32> -> tensor<16x4x8xf32>
  %s:16 = accel.split %t axis 0 : tensor<16x4x8xf32> -> tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  %h0 = accel.input "h" : tensor<4x8xf32>
  %a0 = accel.reshape %s#0 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r0 = accel.reduce_max %h0 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b0 = accel.broadcast %r0 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h1 = accel.mul %a0, %b0 : tensor<4x8xf32>
  %a1 = accel.reshape %s#1 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r1 = accel.reduce_max %h1 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b1 = accel.broadcast %r1 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h2 = accel.mul %a1, %b1 : tensor<4x8xf32>
  %a2 = accel.reshape %s#2 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r2 = accel.reduce_max %h2 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b2 = accel.broadcast %r2 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h3 = accel.mul %a2, %b2 : tensor<4x8xf32>
  %a3 = accel.reshape %s#3 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r3 = accel.reduce_max %h3 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b3 = accel.broadcast %r3 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h4 = accel.mul %a3, %b3 : tensor<4x8xf32>
  %a4 = accel.reshape %s#4 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r4 = accel.reduce_max %h4 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b4 = accel.broadcast %r4 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h5 = accel.mul %a4, %b4 : tensor<4x8xf32>
  %a5 = accel.reshape %s#5 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r5 = accel.reduce_max %h5 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b5 = accel.broadcast %r5 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h6 = accel.mul %a5, %b5 : tensor<4x8xf32>
  %a6 = accel.reshape %s#6 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r6 = accel.reduce_max %h6 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b6 = accel.broadcast %r6 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h7 = accel.mul %a6, %b6 : tensor<4x8xf32>
  %a7 = accel.reshape %s#7 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r7 = accel.reduce_max %h7 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b7 = accel.broadcast %r7 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h8 = accel.mul %a7, %b7 : tensor<4x8xf32>
  %a8 = accel.reshape %s#8 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r8 = accel.reduce_max %h8 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b8 = accel.broadcast %r8 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h9 = accel.mul %a8, %b8 : tensor<4x8xf32>
  %a9 = accel.reshape %s#9 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r9 = accel.reduce_max %h9 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b9 = accel.broadcast %r9 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h10 = accel.mul %a9, %b9 : tensor<4x8xf32>
  %a10 = accel.reshape %s#10 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r10 = accel.reduce_max %h10 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b10 = accel.broadcast %r10 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h11 = accel.mul %a10, %b10 : tensor<4x8xf32>
  %a11 = accel.reshape %s#11 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r11 = accel.reduce_max %h11 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b11 = accel.broadcast %r11 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h12 = accel.mul %a11, %b11 : tensor<4x8xf32>
  %a12 = accel.reshape %s#12 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r12 = accel.reduce_max %h12 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b12 = accel.broadcast %r12 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h13 = accel.mul %a12, %b12 : tensor<4x8xf32>
  %a13 = accel.reshape %s#13 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r13 = accel.reduce_max %h13 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b13 = accel.broadcast %r13 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h14 = accel.mul %a13, %b13 : tensor<4x8xf32>
  %a14 = accel.reshape %s#14 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r14 = accel.reduce_max %h14 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b14 = accel.broadcast %r14 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h15 = accel.mul %a14, %b14 : tensor<4x8xf32>
  %a15 = accel.reshape %s#15 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r15 = accel.reduce_max %h15 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b15 = accel.broadcast %r15 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h16 = accel.mul %a15, %b15 : tensor<4x8xf32>
  accel.accumulate @sum, %h16 : tensor<4x8xf32>
  return
}

// -----

// Few parts are not, nor are those that one kernel reads, which gets the whole, nor what was broadcast.
// CHECK-LABEL: func.func @few
// CHECK-NOT: @copy
accel.state @sum accumulator : tensor<4x8xf32>
func.func @few() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x15x8xf32>
  %e = accel.exp %x : tensor<4x15x8xf32>
  %t = accel.transpose %e [1, 0, 2] : tensor<4x15x8xf32> -> tensor<15x4x8xf32>
  %s:15 = accel.split %t axis 0 : tensor<15x4x8xf32> -> tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  %h0 = accel.input "h" : tensor<4x8xf32>
  %a0 = accel.reshape %s#0 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r0 = accel.reduce_max %h0 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b0 = accel.broadcast %r0 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h1 = accel.mul %a0, %b0 : tensor<4x8xf32>
  %a1 = accel.reshape %s#1 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r1 = accel.reduce_max %h1 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b1 = accel.broadcast %r1 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h2 = accel.mul %a1, %b1 : tensor<4x8xf32>
  %a2 = accel.reshape %s#2 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r2 = accel.reduce_max %h2 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b2 = accel.broadcast %r2 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h3 = accel.mul %a2, %b2 : tensor<4x8xf32>
  %a3 = accel.reshape %s#3 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r3 = accel.reduce_max %h3 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b3 = accel.broadcast %r3 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h4 = accel.mul %a3, %b3 : tensor<4x8xf32>
  %a4 = accel.reshape %s#4 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r4 = accel.reduce_max %h4 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b4 = accel.broadcast %r4 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h5 = accel.mul %a4, %b4 : tensor<4x8xf32>
  %a5 = accel.reshape %s#5 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r5 = accel.reduce_max %h5 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b5 = accel.broadcast %r5 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h6 = accel.mul %a5, %b5 : tensor<4x8xf32>
  %a6 = accel.reshape %s#6 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r6 = accel.reduce_max %h6 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b6 = accel.broadcast %r6 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h7 = accel.mul %a6, %b6 : tensor<4x8xf32>
  %a7 = accel.reshape %s#7 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r7 = accel.reduce_max %h7 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b7 = accel.broadcast %r7 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h8 = accel.mul %a7, %b7 : tensor<4x8xf32>
  %a8 = accel.reshape %s#8 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r8 = accel.reduce_max %h8 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b8 = accel.broadcast %r8 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h9 = accel.mul %a8, %b8 : tensor<4x8xf32>
  %a9 = accel.reshape %s#9 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r9 = accel.reduce_max %h9 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b9 = accel.broadcast %r9 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h10 = accel.mul %a9, %b9 : tensor<4x8xf32>
  %a10 = accel.reshape %s#10 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r10 = accel.reduce_max %h10 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b10 = accel.broadcast %r10 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h11 = accel.mul %a10, %b10 : tensor<4x8xf32>
  %a11 = accel.reshape %s#11 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r11 = accel.reduce_max %h11 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b11 = accel.broadcast %r11 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h12 = accel.mul %a11, %b11 : tensor<4x8xf32>
  %a12 = accel.reshape %s#12 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r12 = accel.reduce_max %h12 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b12 = accel.broadcast %r12 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h13 = accel.mul %a12, %b12 : tensor<4x8xf32>
  %a13 = accel.reshape %s#13 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r13 = accel.reduce_max %h13 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b13 = accel.broadcast %r13 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h14 = accel.mul %a13, %b13 : tensor<4x8xf32>
  %a14 = accel.reshape %s#14 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r14 = accel.reduce_max %h14 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b14 = accel.broadcast %r14 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h15 = accel.mul %a14, %b14 : tensor<4x8xf32>
  accel.accumulate @sum, %h15 : tensor<4x8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @one
// CHECK: %[[E:.+]] = call @exp_0(%{{.+}}) : (tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
// CHECK-NEXT: call @mul_0(%[[E]]) : (tensor<4x16x8xf32>) -> tensor<4x8xf32>
accel.state @sum accumulator : tensor<4x8xf32>
func.func @one() attributes {accel.role = #accel.role<step>} {
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

// CHECK-LABEL: func.func @spread
// CHECK-NOT: @copy
accel.state @sum accumulator : tensor<4x8xf32>
func.func @spread() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x8xf32>
  %e = accel.exp %x : tensor<4x8xf32>
  %t = accel.broadcast %e [1, 2] : tensor<4x8xf32> -> tensor<16x4x8xf32>
  %s:16 = accel.split %t axis 0 : tensor<16x4x8xf32> -> tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  %h0 = accel.input "h" : tensor<4x8xf32>
  %a0 = accel.reshape %s#0 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r0 = accel.reduce_max %h0 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b0 = accel.broadcast %r0 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h1 = accel.mul %a0, %b0 : tensor<4x8xf32>
  %a1 = accel.reshape %s#1 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r1 = accel.reduce_max %h1 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b1 = accel.broadcast %r1 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h2 = accel.mul %a1, %b1 : tensor<4x8xf32>
  %a2 = accel.reshape %s#2 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r2 = accel.reduce_max %h2 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b2 = accel.broadcast %r2 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h3 = accel.mul %a2, %b2 : tensor<4x8xf32>
  %a3 = accel.reshape %s#3 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r3 = accel.reduce_max %h3 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b3 = accel.broadcast %r3 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h4 = accel.mul %a3, %b3 : tensor<4x8xf32>
  %a4 = accel.reshape %s#4 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r4 = accel.reduce_max %h4 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b4 = accel.broadcast %r4 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h5 = accel.mul %a4, %b4 : tensor<4x8xf32>
  %a5 = accel.reshape %s#5 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r5 = accel.reduce_max %h5 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b5 = accel.broadcast %r5 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h6 = accel.mul %a5, %b5 : tensor<4x8xf32>
  %a6 = accel.reshape %s#6 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r6 = accel.reduce_max %h6 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b6 = accel.broadcast %r6 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h7 = accel.mul %a6, %b6 : tensor<4x8xf32>
  %a7 = accel.reshape %s#7 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r7 = accel.reduce_max %h7 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b7 = accel.broadcast %r7 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h8 = accel.mul %a7, %b7 : tensor<4x8xf32>
  %a8 = accel.reshape %s#8 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r8 = accel.reduce_max %h8 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b8 = accel.broadcast %r8 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h9 = accel.mul %a8, %b8 : tensor<4x8xf32>
  %a9 = accel.reshape %s#9 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r9 = accel.reduce_max %h9 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b9 = accel.broadcast %r9 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h10 = accel.mul %a9, %b9 : tensor<4x8xf32>
  %a10 = accel.reshape %s#10 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r10 = accel.reduce_max %h10 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b10 = accel.broadcast %r10 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h11 = accel.mul %a10, %b10 : tensor<4x8xf32>
  %a11 = accel.reshape %s#11 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r11 = accel.reduce_max %h11 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b11 = accel.broadcast %r11 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h12 = accel.mul %a11, %b11 : tensor<4x8xf32>
  %a12 = accel.reshape %s#12 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r12 = accel.reduce_max %h12 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b12 = accel.broadcast %r12 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h13 = accel.mul %a12, %b12 : tensor<4x8xf32>
  %a13 = accel.reshape %s#13 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r13 = accel.reduce_max %h13 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b13 = accel.broadcast %r13 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h14 = accel.mul %a13, %b13 : tensor<4x8xf32>
  %a14 = accel.reshape %s#14 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r14 = accel.reduce_max %h14 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b14 = accel.broadcast %r14 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h15 = accel.mul %a14, %b14 : tensor<4x8xf32>
  %a15 = accel.reshape %s#15 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %r15 = accel.reduce_max %h15 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b15 = accel.broadcast %r15 [0] : tensor<4xf32> -> tensor<4x8xf32>
  %h16 = accel.mul %a15, %b15 : tensor<4x8xf32>
  accel.accumulate @sum, %h16 : tensor<4x8xf32>
  return
}
