// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each numbered constraint of sources and of views of whole tensors, violated.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @constant_of_another_type() {
  // expected-error@below {{'accel.constant' op failed to verify that all of {value, result} have same type}}
  %c = "accel.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<5xf32>
  return
}

// -----

func.func @iota_c1() {
  // expected-error@below {{'accel.iota' op expected `dimension` to be a dimension, 0 to 1, got 2}}
  %i = accel.iota 2 : tensor<4x8xi64>
  return
}

// -----

func.func @iota_c1_scalar() {
  // expected-error@below {{'accel.iota' op expected a tensor with the dimension `dimension`, got rank 0}}
  %i = accel.iota 0 : tensor<i64>
  return
}

// -----

func.func @reshape_c1(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reshape' op expected a result of 32 elements, as `operand` has, got 30 in shape (5, 6)}}
  %y = accel.reshape %x : tensor<4x8xf32> -> tensor<5x6xf32>
  return
}

// -----

func.func @reshape_c1_type(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.reshape' op expected `result` of element type 'f32', got 'f64'}}
  %y = accel.reshape %x : tensor<4x8xf32> -> tensor<32xf64>
  return
}

// -----

func.func @transpose_c1(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.transpose' op expected `permutation` to name every dimension of `operand` once, got [1, 1]}}
  %y = accel.transpose %x [1, 1] : tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @transpose_c1_length(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.transpose' op expected `permutation` to have 2 entries, one per dimension of `operand`, got 3}}
  %y = accel.transpose %x [1, 0, 2] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @transpose_c2(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.transpose' op expected `result` of shape (8, 4), got (4, 8)}}
  %y = accel.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_c2_type(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.transpose' op expected `result` of element type 'f32', got 'i64'}}
  %y = accel.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xi64>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<8xf32>) {
  // expected-error@below {{'accel.broadcast' op expected `dimensions` to have 1 entries, one per dimension of `operand`, got 2}}
  %y = accel.broadcast %x [0, 1] : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_c1_order(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.broadcast' op expected `dimensions` to increase, got 0 after 1}}
  %y = accel.broadcast %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_c1_range(%x: tensor<8xf32>) {
  // expected-error@below {{'accel.broadcast' op expected `dimensions` to be a dimension, 0 to 1, got 2}}
  %y = accel.broadcast %x [2] : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<8xf32>) {
  // expected-error@below {{'accel.broadcast' op expected dimension 0 of `operand` to be 1 or 4, as dimension 0 of `result`, got 8}}
  %y = accel.broadcast %x [0] : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_c2_type(%x: tensor<8xf32>) {
  // expected-error@below {{'accel.broadcast' op expected `result` of element type 'f32', got 'f64'}}
  %y = accel.broadcast %x [1] : tensor<8xf32> -> tensor<4x8xf64>
  return
}
