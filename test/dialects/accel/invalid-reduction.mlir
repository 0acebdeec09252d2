// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each numbered constraint of reductions and scans, violated.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @reduce_sum_c1(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_sum' op expected `axes` to be a dimension, 0 to 1, got 2}}
  %y = accel.reduce_sum %x [2] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_sum_c1_order(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_sum' op expected `axes` to increase, got 1 after 1}}
  %y = accel.reduce_sum %x [1, 1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_sum_c2(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_sum' op expected `result` of shape (8), got (4)}}
  %y = accel.reduce_sum %x [0] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_sum_c2_type(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_sum' op expected `result` of element type 'f32', got 'f64'}}
  %y = accel.reduce_sum %x [0] : tensor<4x8xf32> -> tensor<8xf64>
  return
}

// -----

func.func @reduce_max_c1(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_max' op expected `axes` to be a dimension, 0 to 1, got 2}}
  %y = accel.reduce_max %x [2] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_max_c1_order(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_max' op expected `axes` to increase, got 1 after 1}}
  %y = accel.reduce_max %x [1, 1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_max_c2(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_max' op expected `result` of shape (8), got (4)}}
  %y = accel.reduce_max %x [0] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_max_c2_type(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_max' op expected `result` of element type 'f32', got 'f64'}}
  %y = accel.reduce_max %x [0] : tensor<4x8xf32> -> tensor<8xf64>
  return
}

// -----

func.func @reduce_min_c1(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_min' op expected `axes` to be a dimension, 0 to 1, got 2}}
  %y = accel.reduce_min %x [2] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_min_c1_order(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_min' op expected `axes` to increase, got 1 after 1}}
  %y = accel.reduce_min %x [1, 1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_min_c2(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_min' op expected `result` of shape (8), got (4)}}
  %y = accel.reduce_min %x [0] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_min_c2_type(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reduce_min' op expected `result` of element type 'f32', got 'f64'}}
  %y = accel.reduce_min %x [0] : tensor<4x8xf32> -> tensor<8xf64>
  return
}

// -----

func.func @reduce_of_booleans(%x: tensor<4xi1>) {
  // expected-error@below {{'accel.reduce_sum' op operand #0 must be ranked tensor of}}
  %y = accel.reduce_sum %x [0] : tensor<4xi1> -> tensor<i1>
  return
}

// -----

func.func @cumsum_c1(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.cumsum' op expected `axis` to be a dimension, 0 to 1, got 2}}
  %y = accel.cumsum %x axis 2 : tensor<4x8xf32>
  return
}
