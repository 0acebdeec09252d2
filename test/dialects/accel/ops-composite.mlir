// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, look-ups and composites print as they are written, and parse again.
// RUN: accel-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @products
func.func @products(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %a: tensor<2x3x5xf64>, %b: tensor<2x7x3xf64>) {
  // CHECK: accel.matmul %{{.+}}, %{{.+}} : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  // CHECK: accel.matmul %{{.+}}, %{{.+}} {transpose_lhs, transpose_rhs} : tensor<2x3x5xf64>, tensor<2x7x3xf64> -> tensor<2x5x7xf64>
  %t = accel.matmul %a, %b {transpose_lhs, transpose_rhs} : tensor<2x3x5xf64>, tensor<2x7x3xf64> -> tensor<2x5x7xf64>
  // A product of the forward program has a role, too, which is not printed.
  // CHECK: accel.matmul %{{.+}}, %{{.+}} as input_gradient {transpose_rhs} : tensor<4x16xf32>, tensor<8x16xf32> -> tensor<4x8xf32>
  %i = accel.matmul %z, %w as input_gradient {transpose_rhs} : tensor<4x16xf32>, tensor<8x16xf32> -> tensor<4x8xf32>
  // CHECK: accel.matmul %{{.+}}, %{{.+}} as weight_gradient {transpose_lhs} : tensor<4x8xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %g = accel.matmul %x, %z as weight_gradient {transpose_lhs} : tensor<4x8xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  // CHECK: accel.matmul %{{.+}}, %{{.+}} : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %f = accel.matmul %x, %w as forward : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// CHECK-LABEL: func.func @scaled
func.func @scaled(%x: tensor<4x48xf8E4M3FN>, %w: tensor<16x48xf8E5M2>, %s: tensor<4x2xf8E8M0FNU>, %t: tensor<16x2xf8E8M0FNU>) {
  // CHECK: accel.matmul %{{.+}}, %{{.+}} scaled by(%{{.+}}, %{{.+}} : tensor<4x2xf8E8M0FNU>, tensor<16x2xf8E8M0FNU>) per 32 as input_gradient {transpose_rhs} : tensor<4x48xf8E4M3FN>, tensor<16x48xf8E5M2> -> tensor<4x16xf32>
  %z = accel.matmul %x, %w scaled by(%s, %t : tensor<4x2xf8E8M0FNU>, tensor<16x2xf8E8M0FNU>) per 32 as input_gradient {transpose_rhs} : tensor<4x48xf8E4M3FN>, tensor<16x48xf8E5M2> -> tensor<4x16xf32>
  return
}

// Products of 16 bits are summed in f32 or in what their operands are.
// CHECK-LABEL: func.func @small_products
func.func @small_products(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %a: tensor<2x3x5xf16>, %b: tensor<2x5x7xf16>) {
  // CHECK: accel.matmul %{{.+}}, %{{.+}} : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xf32>
  %z = accel.matmul %x, %w : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xf32>
  // CHECK: accel.matmul %{{.+}}, %{{.+}} : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xbf16>
  %n = accel.matmul %x, %w : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xbf16>
  // CHECK: accel.matmul %{{.+}}, %{{.+}} as weight_gradient {transpose_lhs} : tensor<4x8xbf16>, tensor<4x16xbf16> -> tensor<8x16xf32>
  %g = accel.matmul %x, %n as weight_gradient {transpose_lhs} : tensor<4x8xbf16>, tensor<4x16xbf16> -> tensor<8x16xf32>
  // CHECK: accel.matmul %{{.+}}, %{{.+}} : tensor<2x3x5xf16>, tensor<2x5x7xf16> -> tensor<2x3x7xf32>
  %h = accel.matmul %a, %b : tensor<2x3x5xf16>, tensor<2x5x7xf16> -> tensor<2x3x7xf32>
  return
}

// CHECK-LABEL: func.func @tables
func.func @tables(%table: tensor<16x2x3xf32>, %ids: tensor<4x8xi64>, %vector: tensor<9xi1>, %one: tensor<i32>, %tuples: tensor<4x5x1xi64>) {
  // CHECK: accel.gather %{{.+}}, %{{.+}} : tensor<16x2x3xf32>, tensor<4x8xi64> -> tensor<4x8x2x3xf32>
  %rows = accel.gather %table, %ids : tensor<16x2x3xf32>, tensor<4x8xi64> -> tensor<4x8x2x3xf32>
  // CHECK: accel.gather %{{.+}}, %{{.+}} {padding_row = 15 : i64} : tensor<16x2x3xf32>
  %padded = accel.gather %table, %ids {padding_row = 15 : i64} : tensor<16x2x3xf32>, tensor<4x8xi64> -> tensor<4x8x2x3xf32>
  // CHECK: accel.gather %{{.+}}, %{{.+}} : tensor<9xi1>, tensor<i32> -> tensor<i1>
  %element = accel.gather %vector, %one : tensor<9xi1>, tensor<i32> -> tensor<i1>
  // CHECK: accel.scatter_add %{{.+}}, %{{.+}} : tensor<4x8xi64>, tensor<4x8x2x3xf32> -> tensor<16x2x3xf32>
  %sums = accel.scatter_add %ids, %rows : tensor<4x8xi64>, tensor<4x8x2x3xf32> -> tensor<16x2x3xf32>
  // CHECK: accel.gather_nd %{{.+}}, %{{.+}} batch_dims 1 : tensor<4x8xi64>, tensor<4x5x1xi64> -> tensor<4x5xi64>
  %picked = accel.gather_nd %ids, %tuples batch_dims 1 : tensor<4x8xi64>, tensor<4x5x1xi64> -> tensor<4x5xi64>
  return
}

// CHECK-LABEL: func.func @channels
func.func @channels(%x: tensor<4x8x3xf32>, %g: tensor<8xf32>, %w: tensor<3xf32>) {
  // CHECK: accel.batch_norm %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} along 0 epsilon 1.000000e-05 momentum 1.000000e-01 : tensor<4x8x3xf32>, tensor<8xf32>
  %y:3 = accel.batch_norm %x, %g, %g, %g, %g along 0 epsilon 1.0e-5 momentum 0.1 : tensor<4x8x3xf32>, tensor<8xf32>
  // CHECK: accel.batch_norm %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} weights %{{.+}} along 2 epsilon 1.000000e-05 momentum 1.000000e-01 : tensor<4x8x3xf32>, tensor<8xf32>, tensor<3xf32>
  %z:3 = accel.batch_norm %x, %g, %g, %g, %g weights %w along 2 epsilon 1.0e-5 momentum 0.1 : tensor<4x8x3xf32>, tensor<8xf32>, tensor<3xf32>
  // CHECK: accel.batch_norm %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} along 0 epsilon 1.000000e-05 momentum 1.000000e-01 synchronized : tensor<4x8x3xf32>, tensor<8xf32>
  %s:3 = accel.batch_norm %x, %g, %g, %g, %g along 0 epsilon 1.0e-5 momentum 0.1 synchronized : tensor<4x8x3xf32>, tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @rows
func.func @rows(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>, %labels: tensor<4xi64>) {
  // CHECK: accel.layer_norm %{{.+}}, %{{.+}}, %{{.+}} epsilon 1.000000e-05 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  %y:3 = accel.layer_norm %x, %g, %b epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK: accel.layer_norm %{{.+}}, %{{.+}} epsilon 0.000000e+00 : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  %n:3 = accel.layer_norm %x, %g epsilon 0.0 : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK: accel.softmax %{{.+}} : tensor<4x8xf32>
  %s = accel.softmax %x : tensor<4x8xf32>
  // CHECK: accel.softmax_cross_entropy %{{.+}}, %{{.+}} : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>, tensor<4xf32>
  %loss, %lse = accel.softmax_cross_entropy %x, %labels : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>, tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @random
func.func @random(%x: tensor<4x8xf32>, %samples: tensor<2xi64>, %seed: tensor<i64>) {
  // CHECK: accel.dropout %{{.+}}, %{{.+}}, %{{.+}} probability 1.000000e-01 site 3 : tensor<4x8xf32>, tensor<2xi64>, tensor<i64>
  %y = accel.dropout %x, %samples, %seed probability 0.1 site 3 : tensor<4x8xf32>, tensor<2xi64>, tensor<i64>
  // CHECK: accel.dropout %{{.+}}, %{{.+}}, %{{.+}} probability 0.000000e+00 factor normal site 4 : tensor<4x8xf32>, tensor<2xi64>, tensor<i64>
  %drawn = accel.dropout %x, %samples, %seed probability 0.0 factor normal site 4 : tensor<4x8xf32>, tensor<2xi64>, tensor<i64>
  // CHECK: accel.random_normal %{{.+}} mean 0.000000e+00 deviation 2.000000e-02 site 7 : tensor<i64> -> tensor<4x8xf32>
  %w = accel.random_normal %seed mean 0.0 deviation 0.02 site 7 : tensor<i64> -> tensor<4x8xf32>
  return
}

// Query and value have depths of their own, key and value a length of their own.
// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>, %mask: tensor<2x1x8x9xi1>, %bias: tensor<1x4x1x9xf32>,
                     %samples: tensor<2xi64>, %seed: tensor<i64>) {
  // CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} scale 1.250000e-01 causal : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  %y, %lse = accel.attention %q, %k, %v scale 0.125 causal : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  // CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} : tensor<2x1x8x9xi1> scale 1.000000e+00 :
  %m:2 = accel.attention %q, %k, %v mask %mask : tensor<2x1x8x9xi1> scale 1.0 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  // CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} : tensor<1x4x1x9xf32> dropout %{{.+}}, %{{.+}} probability 2.500000e-01 site 2 : tensor<2xi64>, tensor<i64> scale 1.000000e+00 causal :
  %d:2 = accel.attention %q, %k, %v mask %bias : tensor<1x4x1x9xf32> dropout %samples, %seed probability 0.25 site 2 : tensor<2xi64>, tensor<i64> scale 1.0 causal : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  // CHECK: accel.attention_grad {{.+}} dropout %{{.+}}, %{{.+}} probability 2.500000e-01 site 2 : tensor<2xi64>, tensor<i64> scale 1.250000e-01 causal :
  %g:3 = accel.attention_grad %y, %q, %k, %v, %y, %lse dropout %samples, %seed probability 0.25 site 2 : tensor<2xi64>, tensor<i64> scale 0.125 causal : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  // CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} : tensor<2x1x8x9xi1> bias %{{.+}} : tensor<1x4x1x9xf32> scale 1.000000e+00 softcap 3.000000e+01 causal :
  %s:2 = accel.attention %q, %k, %v mask %mask : tensor<2x1x8x9xi1> bias %bias : tensor<1x4x1x9xf32> scale 1.0 softcap 30.0 causal : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  // CHECK: accel.attention_grad {{.+}} bias %{{.+}} : tensor<1x4x1x9xf32> scale 1.000000e+00 softcap 3.000000e+01 causal : {{.+}}, tensor<2x4x8xf32> -> tensor<1x4x8x9xf32>
  %h:4 = accel.attention_grad %y, %q, %k, %v, %y, %lse bias %bias : tensor<1x4x1x9xf32> scale 1.0 softcap 30.0 causal : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8xf32> -> tensor<1x4x8x9xf32>
  return
}

// Operands of 16 bits: scores, their masks and the logarithms of their sums are f32.
// CHECK-LABEL: func.func @small_attention
func.func @small_attention(%q: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x5xbf16>, %h: tensor<2x4x8x16xf16>, %mask: tensor<2x1x8x8xi1>, %bias: tensor<1x4x1x8xf32>) {
  // CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} : tensor<1x4x1x8xf32> scale 1.000000e+00 : tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x5xbf16> -> tensor<2x4x8x5xbf16>, tensor<2x4x8xf32>
  %y, %lse = accel.attention %q, %q, %v mask %bias : tensor<1x4x1x8xf32> scale 1.0 : tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x5xbf16> -> tensor<2x4x8x5xbf16>, tensor<2x4x8xf32>
  // CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} : tensor<2x1x8x8xi1> scale 1.000000e+00 causal : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16> -> tensor<2x4x8x16xf16>, tensor<2x4x8xf32>
  %m:2 = accel.attention %h, %h, %h mask %mask : tensor<2x1x8x8xi1> scale 1.0 causal : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16> -> tensor<2x4x8x16xf16>, tensor<2x4x8xf32>
  // CHECK: accel.attention_grad {{.+}} mask %{{.+}} : tensor<1x4x1x8xf32> scale 1.000000e+00 : tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x5xbf16>, tensor<2x4x8x5xbf16>, tensor<2x4x8xf32>
  %g:3 = accel.attention_grad %y, %q, %q, %v, %y, %lse mask %bias : tensor<1x4x1x8xf32> scale 1.0 : tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x5xbf16>, tensor<2x4x8x5xbf16>, tensor<2x4x8xf32>
  return
}

// CHECK-LABEL: func.func @grouped
func.func @grouped(%x: tensor<12x8xf32>, %w: tensor<4x8x16xf32>, %i: tensor<12xi64>, %j: tensor<12xi32>) {
  // CHECK: accel.grouped_matmul %{{.+}}, %{{.+}}, %{{.+}} : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
  %y = accel.grouped_matmul %x, %w, %i : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
  // CHECK: accel.grouped_matmul %{{.+}}, %{{.+}}, %{{.+}} as input_gradient {transpose_weights} : tensor<12x16xf32>, tensor<4x8x16xf32>, tensor<12xi32> -> tensor<12x8xf32>
  %d = accel.grouped_matmul %y, %w, %j as input_gradient {transpose_weights} : tensor<12x16xf32>, tensor<4x8x16xf32>, tensor<12xi32> -> tensor<12x8xf32>
  // CHECK: accel.grouped_matmul %{{.+}}, %{{.+}}, %{{.+}} {skip_others} : tensor<12x8xf32>
  %s = accel.grouped_matmul %x, %w, %i {skip_others} : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
  // CHECK: accel.grouped_outer %{{.+}}, %{{.+}}, %{{.+}} : tensor<12x8xf32>, tensor<12x16xf32>, tensor<12xi64> -> tensor<4x8x16xf32>
  %g = accel.grouped_outer %x, %y, %i : tensor<12x8xf32>, tensor<12x16xf32>, tensor<12xi64> -> tensor<4x8x16xf32>
  return
}
