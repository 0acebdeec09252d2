// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each numbered constraint of windows and their sum, violated.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @windows_c1(%x: tensor<4x9xf32>) {
  // expected-error@below {{'accel.windows' op expected `sizes` to have 1 entries, one per axis, got 2}}
  %y = accel.windows %x axes [1] sizes [3, 3] strides [1] dilations [1] : tensor<4x9xf32> -> tensor<4x7x3xf32>
  return
}

// -----

func.func @windows_c1_axis(%x: tensor<4x9xf32>) {
  // expected-error@below {{'accel.windows' op expected `axes` to be a dimension, 0 to 1, got 2}}
  %y = accel.windows %x axes [2] sizes [3] strides [1] dilations [1] : tensor<4x9xf32> -> tensor<4x7x3xf32>
  return
}

// -----

func.func @windows_c1_order(%x: tensor<4x9xf32>) {
  // expected-error@below {{'accel.windows' op expected `axes` to increase, got 0 after 1}}
  %y = accel.windows %x axes [1, 0] sizes [3, 1] strides [1, 1] dilations [1, 1] : tensor<4x9xf32> -> tensor<4x7x3x1xf32>
  return
}

// -----

func.func @windows_c1_positive(%x: tensor<4x9xf32>) {
  // expected-error@below {{'accel.windows' op expected positive `dilations`, got 0 along axis 1}}
  %y = accel.windows %x axes [1] sizes [3] strides [1] dilations [0] : tensor<4x9xf32> -> tensor<4x7x3xf32>
  return
}

// -----

func.func @windows_c2(%x: tensor<4x9xf32>) {
  // expected-error@below {{'accel.windows' op expected `result` of shape (4, 7, 3), got (4, 7, 2)}}
  %y = accel.windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<4x9xf32> -> tensor<4x7x2xf32>
  return
}

// -----

func.func @windows_c2_rank(%x: tensor<4x9xf32>) {
  // expected-error@below {{'accel.windows' op expected `result` of shape (4, 9, 3), got (4)}}
  %y = accel.windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<4x9xf32> -> tensor<4xf32>
  return
}

// -----

func.func @windows_c2_none(%x: tensor<4x9xf32>) {
  // expected-error@below {{'accel.windows' op expected at least one window along axis 1, got 0}}
  %y = accel.windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<4x9xf32> -> tensor<4x0x3xf32>
  return
}

// -----

func.func @windows_c3(%x: tensor<4x9xf32>) {
  // expected-error@below {{'accel.windows' op expected 5 windows of 3 elements (stride 2, dilation 1) to lie inside the 9 of `operand` along axis 1, got more}}
  %y = accel.windows %x axes [1] sizes [3] strides [2] dilations [1] : tensor<4x9xf32> -> tensor<4x5x3xf32>
  return
}

// -----

func.func @windows_c3_large(%x: tensor<4x9xf32>) {
  // expected-error@below {{'accel.windows' op expected 1 windows of 3 elements (stride 1, dilation 9223372036854775807) to lie inside the 9 of `operand` along axis 1, got more}}
  %y = accel.windows %x axes [1] sizes [3] strides [1] dilations [9223372036854775807] : tensor<4x9xf32> -> tensor<4x1x3xf32>
  return
}

// -----

func.func @sum_windows_c1(%x: tensor<4x7x3xf32>) {
  // expected-error@below {{'accel.sum_windows' op expected positive `strides`, got -1 along axis 1}}
  %y = accel.sum_windows %x axes [1] sizes [3] strides [-1] dilations [1] : tensor<4x7x3xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @sum_windows_c2(%x: tensor<4x7x2xf32>) {
  // expected-error@below {{'accel.sum_windows' op expected `operand` of shape (4, 7, 3), got (4, 7, 2)}}
  %y = accel.sum_windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<4x7x2xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @sum_windows_c3(%x: tensor<4x7x3xf32>) {
  // expected-error@below {{'accel.sum_windows' op expected 7 windows of 3 elements (stride 1, dilation 1) to lie inside the 8 of `result` along axis 1, got more}}
  %y = accel.sum_windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<4x7x3xf32> -> tensor<4x8xf32>
  return
}
