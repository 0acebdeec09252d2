// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each numbered constraint of attention and its gradient, violated.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @attention_c1(%q: tensor<4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>) {
  // expected-error@below {{'accel.attention' op expected `query` of rank 4, got rank 3}}
  %y:2 = accel.attention %q, %k, %v scale 0.125 : tensor<4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c1_key(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x15xf32>, %v: tensor<2x4x9x5xf32>) {
  // expected-error@below {{'accel.attention' op expected `key` of shape (2, 4, 9, 16), got (2, 4, 9, 15)}}
  %y:2 = accel.attention %q, %k, %v scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x15xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c1_value(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x8x5xf32>) {
  // expected-error@below {{'accel.attention' op expected `value` of shape (2, 4, 9, 5), got (2, 4, 8, 5)}}
  %y:2 = accel.attention %q, %k, %v scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x8x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c1_type(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf64>) {
  // expected-error@below {{'accel.attention' op expected `value` of element type 'f32', got 'f64'}}
  %y:2 = accel.attention %q, %k, %v scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf64> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c1_result(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>) {
  // expected-error@below {{'accel.attention' op expected `result` of shape (2, 4, 8, 5), got (2, 4, 8, 16)}}
  %y:2 = accel.attention %q, %k, %v scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c1_lse(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>) {
  // expected-error@below {{'accel.attention' op expected `lse` of shape (2, 4, 8), got (2, 4, 9)}}
  %y:2 = accel.attention %q, %k, %v scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x9xf32>
  return
}

// -----

func.func @attention_c1_mask_rank(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>, %m: tensor<8x9xi1>) {
  // expected-error@below {{'accel.attention' op expected `mask` of rank 4, got rank 2}}
  %y:2 = accel.attention %q, %k, %v mask %m : tensor<8x9xi1> scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c1_mask(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>, %m: tensor<1x1x8x1xi1>) {
  // expected-error@below {{'accel.attention' op expected `mask` of shape (2, 4, 8, 9), all but the last dimension of it possibly 1, got (1, 1, 8, 1)}}
  %y:2 = accel.attention %q, %k, %v mask %m : tensor<1x1x8x1xi1> scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c1_mask_type(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>, %m: tensor<1x1x8x9xi64>) {
  // expected-error@below {{'accel.attention' op expected `mask` of element type i1 or 'f32', got 'i64'}}
  %y:2 = accel.attention %q, %k, %v mask %m : tensor<1x1x8x9xi64> scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c2(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>, %s: tensor<2xi64>, %d: tensor<i64>) {
  // expected-error@below {{'accel.attention' op expected `probability` to be at least 0 and less than 1, got 1.500000e+00}}
  %y:2 = accel.attention %q, %k, %v dropout %s, %d probability 1.5 site 1 : tensor<2xi64>, tensor<i64> scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c2_probability(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>, %s: tensor<2xi64>, %d: tensor<i64>) {
  // expected-error@below {{'accel.attention' op expected `samples` and `seed` exactly if `probability` is positive, got probability 0.000000e+00 with `samples` and with `seed`}}
  %y:2 = accel.attention %q, %k, %v dropout %s, %d probability 0.0 site 1 : tensor<2xi64>, tensor<i64> scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c2_samples(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>, %s: tensor<8xi64>, %d: tensor<i64>) {
  // expected-error@below {{'accel.attention' op expected `samples` of shape (2), got (8)}}
  %y:2 = accel.attention %q, %k, %v dropout %s, %d probability 0.5 site 1 : tensor<8xi64>, tensor<i64> scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c2_no_samples(%q: tensor<1x1x2x2xf32>) {
  // expected-error@below {{'accel.attention' op expected `samples` and `seed` exactly if `probability` is positive, got probability 5.000000e-01 without `samples` and without `seed`}}
  %y:2 = "accel.attention"(%q, %q, %q) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 1.0, probability = 0.5, site = 1 : i64} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @attention_c2_site(%q: tensor<1x1x2x2xf32>) {
  // expected-error@below {{'accel.attention' op expected `site` 0 and no `site_offset` without dropout, got 1}}
  %y:2 = "accel.attention"(%q, %q, %q) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, scale = 1.0, probability = 0.0, site = 1 : i64} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @attention_grad_c1(%g: tensor<2x4x8x5xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x3x9x16xf32>, %v: tensor<2x4x9x5xf32>, %r: tensor<2x4x8x5xf32>, %l: tensor<2x4x8xf32>) {
  // expected-error@below {{'accel.attention_grad' op expected a number of heads of `key` that divides the 4 heads of `query`, got 3}}
  %y:3 = accel.attention_grad %g, %q, %k, %v, %r, %l scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x3x9x16xf32>, tensor<2x4x9x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_grad_c1_mask(%g: tensor<2x4x8x5xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>, %r: tensor<2x4x8x5xf32>, %l: tensor<2x4x8xf32>, %m: tensor<2x2x8x9xf32>) {
  // expected-error@below {{'accel.attention_grad' op expected `mask` of shape (2, 4, 8, 9), all but the last dimension of it possibly 1, got (2, 2, 8, 9)}}
  %y:3 = accel.attention_grad %g, %q, %k, %v, %r, %l mask %m : tensor<2x2x8x9xf32> scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_grad_c2(%g: tensor<2x4x8x5xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x5xf32>, %r: tensor<2x4x8x5xf32>, %l: tensor<2x4x8xf32>, %s: tensor<4xi64>, %d: tensor<i64>) {
  // expected-error@below {{'accel.attention_grad' op expected `samples` of shape (2), got (4)}}
  %y:3 = accel.attention_grad %g, %q, %k, %v, %r, %l dropout %s, %d probability 0.5 site 1 : tensor<4xi64>, tensor<i64> scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_grad_c1_gradients(%q: tensor<1x1x2x2xf32>, %l: tensor<1x1x2xf32>) {
  // expected-error@below {{'accel.attention_grad' op failed to verify that all of {key, key_gradient} have same type}}
  %y:3 = "accel.attention_grad"(%q, %q, %q, %q, %q, %l) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, scale = 1.0} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x2x2xf32>)
  return
}

// -----

func.func @attention_grad_c1_result_gradient(%q: tensor<1x1x2x2xf32>, %l: tensor<1x1x2xf32>, %g: tensor<1x1x2x3xf32>) {
  // expected-error@below {{'accel.attention_grad' op failed to verify that all of {result, result_gradient} have same type}}
  %y:3 = "accel.attention_grad"(%g, %q, %q, %q, %q, %l) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, scale = 1.0} : (tensor<1x1x2x3xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>)
  return
}

// -----

func.func @attention_c1_value_heads(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x9x16xf32>, %v: tensor<2x4x9x5xf32>) {
  // expected-error@below {{'accel.attention' op expected `value` of shape (2, 2, 9, 5), got (2, 4, 9, 5)}}
  %y:2 = accel.attention %q, %k, %v scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x2x9x16xf32>, tensor<2x4x9x5xf32> -> tensor<2x4x8x5xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c2_site_offset(%q: tensor<1x1x2x2xf32>, %o: tensor<i64>) {
  // expected-error@below {{'accel.attention' op expected `site` 0 and no `site_offset` without dropout, got 0 plus an offset}}
  %y:2 = accel.attention %q, %q, %q plus %o scale 1.0 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32> -> tensor<1x1x2x2xf32>, tensor<1x1x2xf32>
  return
}

// -----

// What attention computes of operands of 16 bits is f32, and so is what it keeps and what it adds.
func.func @attention_c1_lse_type(%q: tensor<1x1x2x2xbf16>) {
  // expected-error@below {{'accel.attention' op expected `lse` of element type 'f32', got 'bf16'}}
  %y:2 = accel.attention %q, %q, %q scale 1.0 : tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16> -> tensor<1x1x2x2xbf16>, tensor<1x1x2xbf16>
  return
}

// -----

func.func @attention_c1_mask_type(%q: tensor<1x1x2x2xbf16>, %m: tensor<1x1x2x2xbf16>) {
  // expected-error@below {{'accel.attention' op expected `mask` of element type i1 or 'f32', got 'bf16'}}
  %y:2 = accel.attention %q, %q, %q mask %m : tensor<1x1x2x2xbf16> scale 1.0 : tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16> -> tensor<1x1x2x2xbf16>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_c1_wide_lse(%q: tensor<1x1x2x2xf64>) {
  // expected-error@below {{'accel.attention' op expected `lse` of element type 'f64', got 'f32'}}
  %y:2 = accel.attention %q, %q, %q scale 1.0 : tensor<1x1x2x2xf64>, tensor<1x1x2x2xf64>, tensor<1x1x2x2xf64> -> tensor<1x1x2x2xf64>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_c1_result_type(%q: tensor<1x1x2x2xbf16>) {
  // expected-error@below {{'accel.attention' op expected `result` of element type 'bf16', got 'f32'}}
  %y:2 = accel.attention %q, %q, %q scale 1.0 : tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16> -> tensor<1x1x2x2xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_grad_c1_lse_type(%q: tensor<1x1x2x2xbf16>, %l: tensor<1x1x2xbf16>) {
  // expected-error@below {{'accel.attention_grad' op expected `lse` of element type 'f32', got 'bf16'}}
  %y:3 = accel.attention_grad %q, %q, %q, %q, %q, %l scale 1.0 : tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16>, tensor<1x1x2xbf16>
  return
}

// -----

// What differs between samples is a mask.
func.func @attention_c1_bias(%q: tensor<2x4x8x16xf32>, %b: tensor<2x4x8x8xf32>) {
  // expected-error@below {{'accel.attention' op expected `bias` of shape (1, 4, 8, 8), all but the last dimension of it possibly 1, got (2, 4, 8, 8)}}
  %y:2 = accel.attention %q, %q, %q bias %b : tensor<2x4x8x8xf32> scale 0.125 : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c1_bias_type(%q: tensor<1x1x2x2xbf16>, %b: tensor<1x1x2x2xbf16>) {
  // expected-error@below {{'accel.attention' op expected `bias` of element type 'f32', got 'bf16'}}
  %y:2 = accel.attention %q, %q, %q bias %b : tensor<1x1x2x2xbf16> scale 1.0 : tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16> -> tensor<1x1x2x2xbf16>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_c3(%q: tensor<1x1x2x2xf32>) {
  // expected-error@below {{'accel.attention' op expected a `softcap` that is positive, or 0 where scores have no bound, got -3.000000e+01}}
  %y:2 = accel.attention %q, %q, %q scale 1.0 softcap -30.0 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32> -> tensor<1x1x2x2xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_grad_c3(%q: tensor<1x1x2x2xf32>, %l: tensor<1x1x2xf32>) {
  // expected-error@below {{'accel.attention_grad' op expected a `softcap` that is positive, or 0 where scores have no bound, got INF}}
  %y:3 = accel.attention_grad %q, %q, %q, %q, %q, %l scale 1.0 softcap 0x7FF0000000000000 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_grad_c1_no_bias(%q: tensor<1x1x2x2xf32>, %l: tensor<1x1x2xf32>) {
  // expected-error@below {{'accel.attention_grad' op expected a `bias` whose gradient `bias_gradient` is, got none}}
  %y:4 = accel.attention_grad %q, %q, %q, %q, %q, %l scale 1.0 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2xf32> -> tensor<1x1x2x2xf32>
  return
}

// -----

// It has all that the bias repeats.
func.func @attention_grad_c1_bias_gradient(%q: tensor<1x3x2x2xf32>, %l: tensor<1x3x2xf32>, %b: tensor<1x1x2x2xf32>) {
  // expected-error@below {{'accel.attention_grad' op expected `bias_gradient` of shape (1, 3, 2, 2), got (1, 1, 2, 2)}}
  %y:4 = accel.attention_grad %q, %q, %q, %q, %q, %l bias %b : tensor<1x1x2x2xf32> scale 1.0 : tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2xf32> -> tensor<1x1x2x2xf32>
  return
}
