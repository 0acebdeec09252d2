// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each numbered constraint of slice and pad, violated.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @slice_c1(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.slice' op expected `strides` to have 2 entries, one per dimension of `operand`, got 1}}
  %y = accel.slice %x [0, 0] strides [1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c1_offset(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.slice' op expected `offsets` of 0 or more in dimension 1, got -1}}
  %y = accel.slice %x [0, -1] strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c1_stride(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.slice' op expected a positive stride in dimension 1, got 0}}
  %y = accel.slice %x [0, 0] strides [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.slice' op expected 4 elements of stride 3 from 0 to lie inside the 8 of `operand` in dimension 1, got more}}
  %y = accel.slice %x [0, 0] strides [1, 3] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @slice_c2_empty(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.slice' op expected 0 elements of stride 1 from 5 to lie inside the 4 of `operand` in dimension 0, got more}}
  %y = accel.slice %x [5, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<0x8xf32>
  return
}

// -----

func.func @slice_c2_rank(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.slice' op expected a result of rank 2, as `operand` has, got rank 1}}
  %y = accel.slice %x [0, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_c2_type(%x: tensor<4x8xf32>) {
  // expected-error@below {{'accel.slice' op expected `result` of element type 'f32', got 'f64'}}
  %y = accel.slice %x [0, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf64>
  return
}

// -----

func.func @pad_c1(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.pad' op expected `low` of 0 or more in dimension 0, got -1}}
  %y = accel.pad %x [-1] strides [1] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @pad_c1_length(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.pad' op expected `low` to have 1 entries, one per dimension of `operand`, got 2}}
  %y = accel.pad %x [0, 0] strides [1, 1] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @pad_c1_stride(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.pad' op expected a positive stride in dimension 0, got -2}}
  %y = accel.pad %x [0] strides [-2] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.pad' op expected 4 elements of stride 2 from 2 to lie inside the 8 of `result` in dimension 0, got more}}
  %y = accel.pad %x [2] strides [2] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @pad_c2_rank(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.pad' op expected a result of rank 1, as `operand` has, got rank 2}}
  %y = accel.pad %x [0] strides [1] : tensor<4xf32> -> tensor<4x8xf32>
  return
}
