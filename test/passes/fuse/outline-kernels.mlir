// RUN: accel-opt %s --split-input-file --accel-outline-kernels --canonicalize | FileCheck %s

accel.parameter @w : tensor<8x16xf32> trainable
accel.parameter @b : tensor<16xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>

// A bias and an activation are computed by the kernel of their product, which keeps its sums in their result; so do two
// sums share a kernel of which one feeds the other. What a row's sums read is no part of a product's kernel.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[X:.+]] = accel.input "x"
  %x = accel.input "x" : tensor<4x8xf32>
  // CHECK: %[[W:.+]] = accel.read @w
  %w = accel.read @w : tensor<8x16xf32>
  // CHECK: %[[B:.+]] = accel.read @b
  %b = accel.read @b : tensor<16xf32>
  %p = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  // CHECK: %[[H:.+]] = call @matmul_4x16x8_relu_0(%[[X]], %[[W]], %[[B]])
  %bb = accel.broadcast %b [1] : tensor<16xf32> -> tensor<4x16xf32>
  %a = accel.add %p, %bb : tensor<4x16xf32>
  %h = accel.relu %a : tensor<4x16xf32>
  // CHECK: %[[Q:.+]] = call @matmul_4x8x16_0(%[[H]], %[[W]])
  // CHECK: call @reduce_max_0(%[[Q]])
  %q = accel.matmul %h, %w {transpose_rhs} : tensor<4x16xf32>, tensor<8x16xf32> -> tensor<4x8xf32>
  %m = accel.reduce_max %q [1] : tensor<4x8xf32> -> tensor<4xf32>
  %s = accel.broadcast %m [0] : tensor<4xf32> -> tensor<4x8xf32>
  %d = accel.sub %q, %s : tensor<4x8xf32>
  %r = accel.reduce_sum %d [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %l = accel.cast %r : tensor<f32> -> tensor<f64>
  // CHECK: accel.accumulate @loss_sum
  accel.accumulate @loss_sum, %l : tensor<f64>
  return
}
// CHECK: func.func private @matmul_4x16x8_relu_0(%arg0: tensor<4x8xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<16xf32>) -> tensor<4x16xf32>
// CHECK-SAME: block = 16 : i64, columns = 16 : i64, elements = 64 : i64, kind = "product", rows = 4 : i64

// -----

accel.parameter @a : tensor<16xf32> trainable
accel.parameter @b : tensor<16xf32> trainable

// Equal kernels are stored once, whatever they are called on; a sum over rows goes straight into the gradient.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x16xf32>
  %y = accel.input "y" : tensor<4x16xf32>
  // CHECK: %[[S:.+]] = call @reduce_sum_0(%{{.*}})
  // CHECK: accel.accumulate @a, %[[S]]
  %s = accel.reduce_sum %x [0] : tensor<4x16xf32> -> tensor<16xf32>
  accel.accumulate @a, %s : tensor<16xf32>
  // CHECK: %[[T:.+]] = call @reduce_sum_0(%{{.*}})
  // CHECK: accel.accumulate @b, %[[T]]
  %t = accel.reduce_sum %y [0] : tensor<4x16xf32> -> tensor<16xf32>
  accel.accumulate @b, %t : tensor<16xf32>
  return
}
// CHECK: func.func private @reduce_sum_0
// CHECK-SAME: (tensor<16xf32> {plan.accumulate})
// CHECK-SAME: kind = "columns"
// CHECK-NOT: func.func private

// -----

accel.state @s counter : tensor<f64>
accel.state @t counter : tensor<f64>
// A state that a step reports and then writes is copied: runs fetch metrics when the step is over.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[S:.+]] = accel.read @s
  // CHECK: %[[OLD:.+]] = call @{{.+}}(%[[S]]) : (tensor<f64>) -> tensor<f64>
  // CHECK: accel.metric "used", %[[OLD]]
  %s = accel.read @s : tensor<f64>
  accel.metric "used", %s : tensor<f64>
  %two = accel.constant dense<2.0> : tensor<f64>
  %new = accel.mul %s, %two : tensor<f64>
  accel.write @s, %new : tensor<f64>
  // CHECK: %[[T:.+]] = accel.read @t
  // CHECK: accel.metric "kept", %[[T]]
  %t = accel.read @t : tensor<f64>
  accel.metric "kept", %t : tensor<f64>
  return
}

// -----

accel.state @v accumulator : tensor<64xf32>

// What reads a state before it is written stays before the kernel that overwrites it.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[V:.+]] = accel.read @v
  %v = accel.read @v : tensor<64xf32>
  %x = accel.input "x" : tensor<64xf32>
  %new = accel.add %v, %x : tensor<64xf32>
  %n = accel.reduce_sum %v [0] : tensor<64xf32> -> tensor<f32>
  %w = accel.cast %n : tensor<f32> -> tensor<f64>
  // CHECK: call @reduce_sum_0(%[[V]])
  // CHECK: %[[NEW:.+]] = call @add_0
  // CHECK: accel.write @v, %[[NEW]]
  accel.write @v, %new : tensor<64xf32>
  accel.metric "sum", %w : tensor<f64>
  return
}

// -----

// A transposed operand of a product that its flags cannot express is copied.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<2x8x4x16xf32>
  %t = accel.transpose %x [0, 2, 1, 3] : tensor<2x8x4x16xf32> -> tensor<2x4x8x16xf32>
  // CHECK: %[[COPY:.+]] = call @copy_0
  // CHECK: call @matmul_8x8x8x16_0(%[[COPY]])
  %p = accel.matmul %t, %t {transpose_rhs} : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x8xf32>
  %s = accel.reduce_sum %p [0, 1, 2, 3] : tensor<2x4x8x8xf32> -> tensor<f32>
  %w = accel.cast %s : tensor<f32> -> tensor<f64>
  accel.metric "sum", %w : tensor<f64>
  return
}
// CHECK: func.func private @copy_0
// CHECK-SAME: columns = 16 : i64
// CHECK: func.func private @matmul_8x8x8x16_0
// CHECK-SAME: block = 16 : i64, columns = 8 : i64, elements = 512 : i64, kind = "product", matrices = 8 : i64, rows = 64 : i64

// -----

// Attention reads its operands where a product left them, side by side, and writes what the next product reads.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<16x192xf32>
  %w = accel.input "w" : tensor<64x64xf32>
  // CHECK: %[[X:.+]] = accel.input "x"
  // CHECK: %[[CALL:.+]]:2 = call @attention_0(%[[X]])
  // CHECK: call @matmul_16x64x64_0(%[[CALL]]#
  %q, %k, %v = accel.split %x axis 1 : tensor<16x192xf32> -> tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
  %q1 = accel.reshape %q : tensor<16x64xf32> -> tensor<2x8x4x16xf32>
  %k1 = accel.reshape %k : tensor<16x64xf32> -> tensor<2x8x4x16xf32>
  %v1 = accel.reshape %v : tensor<16x64xf32> -> tensor<2x8x4x16xf32>
  %q2 = accel.transpose %q1 [0, 2, 1, 3] : tensor<2x8x4x16xf32> -> tensor<2x4x8x16xf32>
  %k2 = accel.transpose %k1 [0, 2, 1, 3] : tensor<2x8x4x16xf32> -> tensor<2x4x8x16xf32>
  %v2 = accel.transpose %v1 [0, 2, 1, 3] : tensor<2x8x4x16xf32> -> tensor<2x4x8x16xf32>
  %y, %l = accel.attention %q2, %k2, %v2 scale 0.25 causal : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
  %t = accel.transpose %y [0, 2, 1, 3] : tensor<2x4x8x16xf32> -> tensor<2x8x4x16xf32>
  %r = accel.reshape %t : tensor<2x8x4x16xf32> -> tensor<16x64xf32>
  %p = accel.matmul %r, %w : tensor<16x64xf32>, tensor<64x64xf32> -> tensor<16x64xf32>
  %s = accel.reduce_sum %p [0, 1] : tensor<16x64xf32> -> tensor<f32>
  %m = accel.reduce_sum %l [0, 1, 2] : tensor<2x4x8xf32> -> tensor<f32>
  %b = accel.add %s, %m : tensor<f32>
  %c = accel.cast %b : tensor<f32> -> tensor<f64>
  accel.metric "sum", %c : tensor<f64>
  return
}
// CHECK: func.func private @attention_0(%{{.*}}: tensor<16x192xf32>) -> (
// CHECK-SAME: plan.kernel = {columns = 8 : i64, elements = 512 : i64, kind = "attention", rows = 64 : i64}

// -----

// Keys whose last dimension is not contiguous are copied first.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %q = accel.input "q" : tensor<1x2x8x16xf32>
  %k = accel.input "k" : tensor<1x2x16x8xf32>
  // CHECK: %[[COPY:.+]] = call @copy_0
  // CHECK: call @attention_0(%{{.+}}, %[[COPY]])
  %t = accel.transpose %k [0, 1, 3, 2] : tensor<1x2x16x8xf32> -> tensor<1x2x8x16xf32>
  %y, %l = accel.attention %q, %t, %t scale 0.25 : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32> -> tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
  %s = accel.reduce_sum %y [0, 1, 2, 3] : tensor<1x2x8x16xf32> -> tensor<f32>
  %c = accel.cast %s : tensor<f32> -> tensor<f64>
  accel.metric "sum", %c : tensor<f64>
  return
}

// -----

// The same number for all of a head, as the gradient of a sum is, is copied
// first, too: products go on from row to row. A mask may have one row for all.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %q = accel.input "q" : tensor<1x2x8x1xf32>
  %m = accel.input "m" : tensor<8xf32>
  %g = accel.input "g" : tensor<f32>
  // CHECK-DAG: %[[M:.+]] = accel.input "m"
  // CHECK-DAG: %[[G:.+]] = accel.input "g"
  // CHECK: call @attention_0(%{{.+}}, %[[M]])
  // CHECK: %[[COPY:.+]] = call @copy_0(%[[G]])
  // CHECK: call @attention_grad_0(%[[COPY]], %{{.+}}, %[[M]]
  %rows = accel.broadcast %m [3] : tensor<8xf32> -> tensor<1x1x8x8xf32>
  %all = accel.broadcast %g [] : tensor<f32> -> tensor<1x2x8x1xf32>
  %y, %l = accel.attention %q, %q, %q mask %rows : tensor<1x1x8x8xf32> scale 0.25 : tensor<1x2x8x1xf32>, tensor<1x2x8x1xf32>, tensor<1x2x8x1xf32> -> tensor<1x2x8x1xf32>, tensor<1x2x8xf32>
  %dq, %dk, %dv = accel.attention_grad %all, %q, %q, %q, %y, %l mask %rows : tensor<1x1x8x8xf32> scale 0.25 : tensor<1x2x8x1xf32>, tensor<1x2x8x1xf32>, tensor<1x2x8x1xf32>, tensor<1x2x8x1xf32>, tensor<1x2x8xf32>
  %s = accel.reduce_sum %dq [0, 1, 2, 3] : tensor<1x2x8x1xf32> -> tensor<f32>
  %c = accel.cast %s : tensor<f32> -> tensor<f64>
  accel.metric "sum", %c : tensor<f64>
  return
}

// -----

// A residual that the next row sums read as well is in memory anyway: the product's kernel adds it, and a kernel of rows
// begins behind it. What only the rows' kernel reads it computes itself.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<8x16xf32>
  %w = accel.input "w" : tensor<16x16xf32>
  // CHECK: %[[X:.+]] = accel.input "x"
  // CHECK: %[[W:.+]] = accel.input "w"
  // CHECK: %[[H:.+]] = call @matmul_8x16x16_0(%[[X]], %[[W]])
  // CHECK: %[[Y:.+]] = call @[[ROWS:reduce_sum[^(]*]](%[[H]])
  // CHECK: call @matmul_8x16x16_1(%[[Y]], %[[W]])
  %p = accel.matmul %x, %w : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %h = accel.add %p, %x : tensor<8x16xf32>
  %d = accel.mul %h, %h : tensor<8x16xf32>
  %s = accel.reduce_sum %d [1] : tensor<8x16xf32> -> tensor<8xf32>
  %b = accel.broadcast %s [0] : tensor<8xf32> -> tensor<8x16xf32>
  %y = accel.sub %h, %b : tensor<8x16xf32>
  %q = accel.matmul %y, %w : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %z = accel.add %q, %y : tensor<8x16xf32>
  %f = accel.add %z, %h : tensor<8x16xf32>
  %r = accel.reduce_sum %f [0, 1] : tensor<8x16xf32> -> tensor<f32>
  %c = accel.cast %r : tensor<f32> -> tensor<f64>
  accel.metric "sum", %c : tensor<f64>
  return
}

// -----

accel.parameter @w : tensor<16x8xf32> trainable

// A product that is added to a gradient has no epilogue; products of more than two dimensions, and in double, are left to
// the library.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x16xf32>
  %y = accel.input "y" : tensor<4x8xf32>
  %b = accel.input "b" : tensor<2x4x8xf32>
  // CHECK: %[[G:.+]] = call @matmul_16x8x4_0
  // CHECK: accel.accumulate @w, %[[G]]
  %g = accel.matmul %x, %y {transpose_lhs} : tensor<4x16xf32>, tensor<4x8xf32> -> tensor<16x8xf32>
  accel.accumulate @w, %g : tensor<16x8xf32>
  // CHECK: call @matmul_2x4x4x8_0(%{{.+}}) : (tensor<2x4x8xf32>)
  %t = accel.matmul %b, %b {transpose_rhs} : tensor<2x4x8xf32>, tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %s = accel.reduce_sum %t [0, 1, 2] : tensor<2x4x4xf32> -> tensor<f32>
  %c = accel.cast %s : tensor<f32> -> tensor<f64>
  accel.metric "sum", %c : tensor<f64>
  return
}
// CHECK: func.func private @matmul_16x8x4_0
// CHECK-SAME: -> (tensor<16x8xf32> {plan.accumulate})
// CHECK-SAME: kind = "product"

// -----

accel.state @p slot : tensor<8192xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @g slot : tensor<8192xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}

// The kernel that uses a gradient last clears it; the one that sums its squares must come before.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[G:.+]] = accel.read @g
  // CHECK: %[[N:.+]] = call @reduce_sum_0(%[[G]])
  // CHECK: %[[U:.+]]:2 = call @[[UPDATE:[a-z_0-9]+]](%[[G]], %[[N]], %{{.+}})
  // CHECK-DAG: accel.write @p, %[[U]]#0
  // CHECK-DAG: accel.write @g, %[[U]]#1
  %p = accel.read @p : tensor<8192xf32>
  %g = accel.read @g : tensor<8192xf32>
  %s = accel.mul %g, %g : tensor<8192xf32>
  %n = accel.reduce_sum %s [0] : tensor<8192xf32> -> tensor<f32>
  %b = accel.broadcast %n [] : tensor<f32> -> tensor<8192xf32>
  %d = accel.mul %g, %b : tensor<8192xf32>
  %u = accel.sub %p, %d : tensor<8192xf32>
  accel.write @p, %u : tensor<8192xf32>
  %z = accel.constant dense<0.000000e+00> : tensor<8192xf32>
  accel.write @g, %z : tensor<8192xf32>
  return
}
// CHECK: func.func private @[[UPDATE]](
// CHECK-SAME: kind = "flat"

// -----

// No two kernels wait for each other: the sum of %p with what another product makes of it belongs to the second product, not
// to the first, and what reads %r and a product of it is no part of the kernel that makes %r.
// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[P:.+]]:2 = call @matmul_8x16x16_sigmoid_0(%arg0, %arg1)
  // CHECK: %[[Y:.+]] = call @matmul_8x16x16_0(%[[P]]#1, %arg1, %[[P]]#0)
  %p = accel.matmul %x, %w : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %s = accel.sigmoid %p : tensor<8x16xf32>
  %q = accel.matmul %s, %w : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %y = accel.add %p, %q : tensor<8x16xf32>
  // CHECK: %[[R:.+]] = call @relu_0(%arg0)
  // CHECK: %[[N:.+]] = call @matmul_8x16x16_sqrt_0(%[[R]], %arg1)
  // CHECK: %[[Z:.+]] = call @matmul_8x16x16_0(%[[N]], %arg1, %[[R]])
  // CHECK: return %[[Y]], %[[Z]]
  %r = accel.relu %x : tensor<8x16xf32>
  %m = accel.matmul %r, %w : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %n = accel.sqrt %m : tensor<8x16xf32>
  %k = accel.matmul %n, %w : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %z = accel.add %r, %k : tensor<8x16xf32>
  return %y, %z : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

accel.parameter @reduce_sum_0 : tensor<16xf32> trainable

// A kernel does not take the name of a parameter.
// CHECK-LABEL: func.func @step
// CHECK: %[[S:.+]] = call @reduce_sum_1(%{{.*}})
// CHECK: accel.accumulate @reduce_sum_0, %[[S]]
// CHECK: func.func private @reduce_sum_1
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x16xf32>
  %s = accel.reduce_sum %x [0] : tensor<4x16xf32> -> tensor<16xf32>
  accel.accumulate @reduce_sum_0, %s : tensor<16xf32>
  return
}

// -----

accel.parameter @a : tensor<16xf32> trainable
accel.parameter @b : tensor<16xf32> trainable
accel.parameter @c : tensor<16xf32> trainable
accel.parameter @d : tensor<16xf32> trainable

// Sums share a kernel if one of them reads nothing that the other does not read: x, then x and y. The third one reads z besides, which would be there
// before y is needed, and the fourth one waits for the first.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.input "x" : tensor<4x16xf32>
  %y = accel.input "y" : tensor<4x16xf32>
  %z = accel.input "z" : tensor<4x16xf32>
  // CHECK: %[[SHARED:.+]]:2 = call @reduce_sum_0(%{{.+}}, %{{.+}})
  %s = accel.reduce_sum %x [0] : tensor<4x16xf32> -> tensor<16xf32>
  accel.accumulate @a, %s : tensor<16xf32>
  %xy = accel.mul %x, %y : tensor<4x16xf32>
  %t = accel.reduce_sum %xy [0] : tensor<4x16xf32> -> tensor<16xf32>
  accel.accumulate @b, %t : tensor<16xf32>
  // CHECK: call @reduce_sum_1(%{{.+}}, %{{.+}}) :
  %yz = accel.mul %z, %y : tensor<4x16xf32>
  %u = accel.reduce_sum %yz [0] : tensor<4x16xf32> -> tensor<16xf32>
  accel.accumulate @c, %u : tensor<16xf32>
  // CHECK: call @reduce_sum_2(%{{.+}}, %[[SHARED]]#0) :
  %mean = accel.broadcast %s [1] : tensor<16xf32> -> tensor<4x16xf32>
  %centered = accel.sub %x, %mean : tensor<4x16xf32>
  %v = accel.reduce_sum %centered [0] : tensor<4x16xf32> -> tensor<16xf32>
  accel.accumulate @d, %v : tensor<16xf32>
  return
}
// CHECK: func.func private @reduce_sum_0(%arg0: tensor<4x16xf32>, %arg1: tensor<4x16xf32>) -> (tensor<16xf32>, tensor<16xf32> {plan.accumulate})

// -----

accel.parameter @w : tensor<4x16x8xf32> trainable
// The product of rows with the matrices that they choose, and the sum of outer products for each matrix, are kernels of
// their own. The latter goes straight into the gradient.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[X:.+]] = accel.input "x"
  %x = accel.input "x" : tensor<12x8xf32>
  // CHECK: %[[I:.+]] = accel.input "i"
  %i = accel.input "i" : tensor<12xi64>
  // CHECK: %[[W:.+]] = accel.read @w
  %w = accel.read @w : tensor<4x16x8xf32>
  // CHECK: %[[Y:.+]] = call @grouped_matmul_0(%[[X]], %[[W]], %[[I]])
  %y = accel.grouped_matmul %x, %w, %i {transpose_weights} : tensor<12x8xf32>, tensor<4x16x8xf32>, tensor<12xi64> -> tensor<12x16xf32>
  // CHECK: %[[R:.+]] = call @relu_0(%[[Y]])
  %r = accel.relu %y : tensor<12x16xf32>
  // CHECK: %[[G:.+]] = call @grouped_outer_0(%[[R]], %[[X]], %[[I]])
  // CHECK: accel.accumulate @w, %[[G]]
  %g = accel.grouped_outer %r, %x, %i : tensor<12x16xf32>, tensor<12x8xf32>, tensor<12xi64> -> tensor<4x16x8xf32>
  accel.accumulate @w, %g : tensor<4x16x8xf32>
  return
}
// CHECK: func.func private @grouped_matmul_0
// CHECK-SAME: columns = 16 : i64, elements = 192 : i64, kind = "grouped", rows = 12 : i64
// CHECK: func.func private @grouped_outer_0
// CHECK-SAME: (tensor<4x16x8xf32> {plan.accumulate})
// CHECK-SAME: columns = 8 : i64, elements = 512 : i64, kind = "grouped", rows = 64 : i64
