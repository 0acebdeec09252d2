// RUN: accel-opt %s --accel-recognise-attention --split-input-file --remarks-filter=accel-recognise-attention --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// What nearly is attention says why it is not, and stays as it was.
func.func @rank(%q: tensor<2x3x4xf32>, %k: tensor<2x3x4xf32>, %v: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x3x3xf32>
  %p = accel.softmax %s : tensor<2x3x3xf32>
  // expected-remark@below {{its operands do not have four dimensions (batch, heads, positions, features)}}
  %y = accel.matmul %p, %v : tensor<2x3x3xf32>, tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

func.func @not_a_product(%s: tensor<1x1x3x3xf32>, %v: tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32> {
  %p = accel.softmax %s : tensor<1x1x3x3xf32>
  // expected-remark@below {{the operand of the softmax is not a masked product}}
  %y = accel.matmul %p, %v : tensor<1x1x3x3xf32>, tensor<1x1x3x4xf32> -> tensor<1x1x3x4xf32>
  return %y : tensor<1x1x3x4xf32>
}

// -----

accel.parameter @bias : tensor<2x3x3xf32> trainable
// What is trained may be added to the scores of all samples alike. Its dropout is not lost.
// CHECK-LABEL: func @trained
// CHECK: accel.softmax %{{.+}} : tensor<2x1x3x3xf32>
// CHECK: accel.dropout %{{.+}}, %{{.+}}, %{{.+}} probability 1.000000e-01 site 1
func.func @trained(%q: tensor<2x1x3x4xf32>, %k: tensor<2x1x3x4xf32>, %v: tensor<2x1x3x4xf32>) -> tensor<2x1x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x1x3x4xf32>, tensor<2x1x3x4xf32> -> tensor<2x1x3x3xf32>
  %b = accel.read @bias : tensor<2x3x3xf32>
  %bb = accel.broadcast %b [0, 2, 3] : tensor<2x3x3xf32> -> tensor<2x1x3x3xf32>
  %sb = accel.add %s, %bb : tensor<2x1x3x3xf32>
  %p = accel.softmax %sb {accel.attention_dropout = 0.1 : f64} : tensor<2x1x3x3xf32>
  // expected-remark@below {{its mask depends on parameters and differs between samples}}
  %y = accel.matmul %p, %v : tensor<2x1x3x3xf32>, tensor<2x1x3x4xf32> -> tensor<2x1x3x4xf32>
  return %y : tensor<2x1x3x4xf32>
}

// -----

func.func @two_masks(%q: tensor<2x1x3x4xf32>, %k: tensor<2x1x3x4xf32>, %v: tensor<2x1x3x4xf32>, %a: tensor<2x1x3x3xf32>, %b: tensor<2x1x3x3xf32>) -> tensor<2x1x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x1x3x4xf32>, tensor<2x1x3x4xf32> -> tensor<2x1x3x3xf32>
  %sa = accel.add %s, %a : tensor<2x1x3x3xf32>
  %sb = accel.add %sa, %b : tensor<2x1x3x3xf32>
  %p = accel.softmax %sb : tensor<2x1x3x3xf32>
  // expected-remark@below {{it has more than one mask}}
  %y = accel.matmul %p, %v : tensor<2x1x3x3xf32>, tensor<2x1x3x4xf32> -> tensor<2x1x3x4xf32>
  return %y : tensor<2x1x3x4xf32>
}

// -----

func.func @scaled_mask(%q: tensor<1x1x3x4xf32>, %k: tensor<1x1x3x4xf32>, %v: tensor<1x1x3x4xf32>, %a: tensor<1x1x3x3xf32>) -> tensor<1x1x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32> -> tensor<1x1x3x3xf32>
  %sa = accel.add %s, %a : tensor<1x1x3x3xf32>
  %half = accel.constant dense<0.5> : tensor<1x1x3x3xf32>
  %sh = accel.mul %sa, %half : tensor<1x1x3x3xf32>
  %p = accel.softmax %sh : tensor<1x1x3x3xf32>
  // expected-remark@below {{the scores are scaled after its mask was applied}}
  %y = accel.matmul %p, %v : tensor<1x1x3x3xf32>, tensor<1x1x3x4xf32> -> tensor<1x1x3x4xf32>
  return %y : tensor<1x1x3x4xf32>
}

// -----

// What is recognised is said as well.
func.func @plain(%q: tensor<1x1x3x4xf32>, %k: tensor<1x1x3x4xf32>, %v: tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32> -> tensor<1x1x3x3xf32>
  %p = accel.softmax %s : tensor<1x1x3x3xf32>
  // expected-remark@below {{recognised attention, scale 1, mask: none}}
  %y = accel.matmul %p, %v : tensor<1x1x3x3xf32>, tensor<1x1x3x4xf32> -> tensor<1x1x3x4xf32>
  return %y : tensor<1x1x3x4xf32>
}

// -----

func.func @bounded(%q: tensor<1x1x3x4xf32>, %k: tensor<1x1x3x4xf32>, %v: tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32> {
  %s = accel.matmul %q, %k {transpose_rhs} : tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32> -> tensor<1x1x3x3xf32>
  %t = accel.tanh %s : tensor<1x1x3x3xf32>
  %cap = accel.constant dense<50.0> : tensor<1x1x3x3xf32>
  %sc = accel.mul %t, %cap : tensor<1x1x3x3xf32>
  %p = accel.softmax %sc : tensor<1x1x3x3xf32>
  // expected-remark@below {{recognised attention, scale 50, softcap 50, mask: none}}
  %y = accel.matmul %p, %v : tensor<1x1x3x3xf32>, tensor<1x1x3x4xf32> -> tensor<1x1x3x4xf32>
  return %y : tensor<1x1x3x4xf32>
}
