// RUN: accel-opt %s --accel-recognise-attention --split-input-file | FileCheck %s

// Scale on both operands, keys transposed before, a causal mask added, a safe softmax: plain causal attention.
// CHECK-LABEL: func @causal
// CHECK-SAME: %[[Q:.+]]: tensor<2x3x5x4xf32>, %[[K:.+]]: tensor<2x3x5x4xf32>, %[[V:.+]]: tensor<2x3x5x4xf32>
// CHECK-NOT: accel.softmax
// CHECK: %[[Y:[^,]+]], %{{.+}} = accel.attention %[[Q]], %[[K]], %[[V]] scale 2.500000e-01 causal :
// CHECK-NEXT: return %[[Y]]
func.func @causal(%q: tensor<2x3x5x4xf32>, %k: tensor<2x3x5x4xf32>, %v: tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32> {
  %half = accel.constant dense<0.5> : tensor<2x3x5x4xf32>
  %qs = accel.mul %q, %half : tensor<2x3x5x4xf32>
  %ks = accel.mul %k, %half : tensor<2x3x5x4xf32>
  %s = accel.matmul %qs, %ks {transpose_rhs} : tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32> -> tensor<2x3x5x5xf32>
  %m = accel.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<5x5xf32>
  %mb = accel.broadcast %m [2, 3] : tensor<5x5xf32> -> tensor<2x3x5x5xf32>
  %sm = accel.add %s, %mb : tensor<2x3x5x5xf32>
  %p = accel.softmax %sm : tensor<2x3x5x5xf32>
  %nan = accel.is_nan %p : tensor<2x3x5x5xf32> -> tensor<2x3x5x5xi1>
  %zero = accel.constant dense<0.0> : tensor<2x3x5x5xf32>
  %ps = accel.select %nan, %zero, %p : tensor<2x3x5x5xi1>, tensor<2x3x5x5xf32>
  %y = accel.matmul %ps, %v : tensor<2x3x5x5xf32>, tensor<2x3x5x4xf32> -> tensor<2x3x5x4xf32>
  return %y : tensor<2x3x5x4xf32>
}

// -----

// The product divided, a boolean mask selected with its branches swapped: causal as well. The columns are those before the
// last row, not before the first.
// CHECK-LABEL: func @selected
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} scale 5.000000e-01 causal :
func.func @selected(%q: tensor<1x1x2x4xf32>, %k: tensor<1x1x3x4xf32>, %v: tensor<1x1x3x6xf32>) -> tensor<1x1x2x6xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<1x1x2x4xf32>, tensor<1x1x3x4xf32> -> tensor<1x1x2x3xf32>
  %two = accel.constant dense<2.0> : tensor<1x1x2x3xf32>
  %sc = accel.div %s, %two : tensor<1x1x2x3xf32>
  %m = accel.constant dense<[[[[false, false, true], [false, false, false]]]]> : tensor<1x1x2x3xi1>
  %low = accel.constant dense<0xFF800000> : tensor<1x1x2x3xf32>
  %sm = accel.select %m, %low, %sc : tensor<1x1x2x3xi1>, tensor<1x1x2x3xf32>
  %p = accel.softmax %sm : tensor<1x1x2x3xf32>
  %y = accel.matmul %p, %v : tensor<1x1x2x3xf32>, tensor<1x1x3x6xf32> -> tensor<1x1x2x6xf32>
  return %y : tensor<1x1x2x6xf32>
}

// -----

// A constant mask that is not causal stays as a tensor, without what was repeated of it.
// CHECK-LABEL: func @window
// CHECK: %[[MASK:.+]] = accel.constant dense<{{.*}}true, true, false], [false, true, true], [false, false, true]{{.*}}> : tensor<1x1x3x3xi1>
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %[[MASK]] : tensor<1x1x3x3xi1> scale 1.000000e+00 :
func.func @window(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %m = accel.constant dense<[[0.0, 0.0, -1.0e9], [-1.0e9, 0.0, 0.0], [-1.0e9, -1.0e9, 0.0]]> : tensor<3x3xf32>
  %mb = accel.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sm = accel.add %mb, %s : tensor<2x2x3x3xf32>
  %p = accel.softmax %sm : tensor<2x2x3x3xf32>
  %y = accel.matmul %p, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// A mask that an input gives, beside a causal one; numbers that are no prohibition are added as they are.
// CHECK-LABEL: func @padding
// CHECK-SAME: %[[PAD:[^ ]+]]: tensor<2x3xf32>
// CHECK: %[[MASK:.+]] = accel.reshape %[[PAD]] : tensor<2x3xf32> -> tensor<2x1x1x3xf32>
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %[[MASK]] : tensor<2x1x1x3xf32> scale 1.000000e+00 causal :
func.func @padding(%pad: tensor<2x3xf32>, %q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %m = accel.constant dense<[[0.0, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %mb = accel.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sm = accel.add %s, %mb : tensor<2x2x3x3xf32>
  %padb = accel.broadcast %pad [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sp = accel.add %sm, %padb : tensor<2x2x3x3xf32>
  %p = accel.softmax %sp : tensor<2x2x3x3xf32>
  %y = accel.matmul %p, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// Dropout of the probabilities, as an operation; the site is one that no other operation has.
// CHECK-LABEL: func @dropout
// CHECK: accel.dropout %{{.+}} site 4
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} dropout %{{.+}}, %{{.+}} probability 1.000000e-01 site 5 : tensor<2xi64>, tensor<i64> scale 1.000000e+00 :
func.func @dropout(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>, %s: tensor<2xi64>, %seed: tensor<i64>) -> tensor<2x2x3x4xf32> {
  %qd = accel.dropout %q, %s, %seed probability 0.1 site 4 : tensor<2x2x3x4xf32>, tensor<2xi64>, tensor<i64>
  %sc = accel.matmul %qd, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %p = accel.softmax %sc : tensor<2x2x3x3xf32>
  %d = accel.dropout %p, %s, %seed probability 0.1 site 2 : tensor<2x2x3x3xf32>, tensor<2xi64>, tensor<i64>
  %y = accel.matmul %d, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// Dropout of the probabilities, as the attribute by which a frontend passes on what the file says of it.
// CHECK-LABEL: func @attribute
// CHECK: %[[SAMPLES:.+]] = accel.input "sample_indices" : tensor<2xi64>
// CHECK: %[[SEED:.+]] = accel.input "seed" : tensor<i64>
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} dropout %[[SAMPLES]], %[[SEED]] probability 2.000000e-01 site 1
func.func @attribute(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %p = accel.softmax %s {accel.attention_dropout = 0.2 : f64} : tensor<2x2x3x3xf32>
  %y = accel.matmul %p, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// Causality and a mask of the data in one selection of -inf under a safe softmax: each for itself, the mask as small as it was.
// CHECK-LABEL: func @both
// CHECK-SAME: %[[ALLOWED:[^: ]+]]: tensor<2x3xi1>
// CHECK: %[[MASK:.+]] = accel.reshape %[[ALLOWED]] : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %[[MASK]] : tensor<2x1x1x3xi1> scale 1.000000e+00 causal :
func.func @both(%allowed: tensor<2x3xi1>, %q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %c = accel.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %cb = accel.broadcast %c [2, 3] : tensor<3x3xi1> -> tensor<2x1x3x3xi1>
  %ab = accel.broadcast %allowed [0, 3] : tensor<2x3xi1> -> tensor<2x1x3x3xi1>
  %and = accel.and %cb, %ab : tensor<2x1x3x3xi1>
  %zero = accel.constant dense<0.0> : tensor<2x1x3x3xf32>
  %inf = accel.constant dense<0xFF800000> : tensor<2x1x3x3xf32>
  %m = accel.select %and, %zero, %inf : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
  %mb = accel.broadcast %m [0, 1, 2, 3] : tensor<2x1x3x3xf32> -> tensor<2x2x3x3xf32>
  %sm = accel.add %s, %mb : tensor<2x2x3x3xf32>
  %p = accel.softmax %sm : tensor<2x2x3x3xf32>
  %nan = accel.is_nan %p : tensor<2x2x3x3xf32> -> tensor<2x2x3x3xi1>
  %z = accel.constant dense<0.0> : tensor<2x2x3x3xf32>
  %safe = accel.select %nan, %z, %p : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %y = accel.matmul %safe, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// Finite numbers weigh columns in a row that has none: the mask stays one.
// CHECK-LABEL: func @finite
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} : tensor<2x2x3x3xf32> scale 1.000000e+00 :
func.func @finite(%allowed: tensor<2x3xi1>, %q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %c = accel.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %cb = accel.broadcast %c [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %ab = accel.broadcast %allowed [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %and = accel.and %cb, %ab : tensor<2x2x3x3xi1>
  %zero = accel.constant dense<0.0> : tensor<2x2x3x3xf32>
  %low = accel.constant dense<-3.4e38> : tensor<2x2x3x3xf32>
  %m = accel.select %and, %zero, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %sm = accel.add %s, %m : tensor<2x2x3x3xf32>
  %p = accel.softmax %sm : tensor<2x2x3x3xf32>
  %y = accel.matmul %p, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// Scores between -30 and 30, masked behind that, as in Gemma 2: the scale in front of the bound is that of the products.
// CHECK-LABEL: func @softcap
// CHECK-NOT: accel.tanh
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} scale 5.000000e-01 softcap 3.000000e+01 causal :
func.func @softcap(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %half = accel.constant dense<0.5> : tensor<2x2x3x3xf32>
  %sh = accel.mul %s, %half : tensor<2x2x3x3xf32>
  %cap = accel.constant dense<30.0> : tensor<2x2x3x3xf32>
  %sd = accel.div %sh, %cap : tensor<2x2x3x3xf32>
  %st = accel.tanh %sd : tensor<2x2x3x3xf32>
  %sc = accel.mul %st, %cap : tensor<2x2x3x3xf32>
  %m = accel.constant dense<[[0.0, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %mb = accel.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sm = accel.add %sc, %mb : tensor<2x2x3x3xf32>
  %p = accel.softmax %sm : tensor<2x2x3x3xf32>
  %y = accel.matmul %p, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// What is masked in front of the bound is not masked behind it.
// CHECK-LABEL: func @masked_before
// CHECK: accel.tanh
// CHECK-NOT: accel.attention
func.func @masked_before(%a: tensor<2x2x3x3xf32>, %q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %sa = accel.add %s, %a : tensor<2x2x3x3xf32>
  %st = accel.tanh %sa : tensor<2x2x3x3xf32>
  %p = accel.softmax %st : tensor<2x2x3x3xf32>
  %y = accel.matmul %p, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

accel.parameter @table : tensor<5x2xf32> trainable
// A learned bias of each head, as T5's, beside a causal mask and one of the data: the bias is that of all samples.
// CHECK-LABEL: func @learned_bias
// CHECK-SAME: %[[PAD:[^ ]+]]: tensor<2x1x1x3xf32>
// CHECK: %[[BIAS:.+]] = accel.reshape %{{.+}} : tensor<2x3x3xf32> -> tensor<1x2x3x3xf32>
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %[[PAD]] : tensor<2x1x1x3xf32> bias %[[BIAS]] : tensor<1x2x3x3xf32> scale 1.000000e+00 causal :
func.func @learned_bias(%pad: tensor<2x1x1x3xf32>, %q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %t = accel.read @table : tensor<5x2xf32>
  %i = accel.constant dense<[[2, 3, 4], [1, 2, 3], [0, 1, 2]]> : tensor<3x3xi64>
  %g = accel.gather %t, %i : tensor<5x2xf32>, tensor<3x3xi64> -> tensor<3x3x2xf32>
  %b = accel.transpose %g [2, 0, 1] : tensor<3x3x2xf32> -> tensor<2x3x3xf32>
  %bb = accel.broadcast %b [1, 2, 3] : tensor<2x3x3xf32> -> tensor<2x2x3x3xf32>
  %m = accel.constant dense<[[0.0, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %mb = accel.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %padb = accel.broadcast %pad [0, 1, 2, 3] : tensor<2x1x1x3xf32> -> tensor<2x2x3x3xf32>
  %both = accel.add %mb, %padb : tensor<2x2x3x3xf32>
  %all = accel.add %bb, %both : tensor<2x2x3x3xf32>
  %sm = accel.add %s, %all : tensor<2x2x3x3xf32>
  %p = accel.softmax %sm : tensor<2x2x3x3xf32>
  %y = accel.matmul %p, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// -----

// A constant of each head beside a constant window, as ALiBi's: both stay, in either order.
// CHECK-LABEL: func @constant_bias
// CHECK: accel.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} : tensor<1x1x3x3xi1> bias %{{.+}} : tensor<1x2x1x3xf32> scale 1.000000e+00 :
func.func @constant_bias(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %b = accel.constant dense<[[[-0.5, -0.25, 0.0]], [[-1.0, -0.5, 0.0]]]> : tensor<2x1x3xf32>
  %br = accel.reshape %b : tensor<2x1x3xf32> -> tensor<2x3xf32>
  %bb = accel.broadcast %br [1, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sb = accel.add %s, %bb : tensor<2x2x3x3xf32>
  %m = accel.constant dense<[[true, true, false], [false, true, true], [false, false, true]]> : tensor<3x3xi1>
  %mb = accel.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = accel.constant dense<0xFF800000> : tensor<2x2x3x3xf32>
  %sm = accel.select %mb, %sb, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %p = accel.softmax %sm : tensor<2x2x3x3xf32>
  %y = accel.matmul %p, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}
