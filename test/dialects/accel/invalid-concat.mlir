// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each numbered constraint of split and concat, violated.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @split_c1(%x: tensor<4x12xf32>) {
  // expected-error@below {{'accel.split' op expected `axis` to be a dimension, 0 to 1, got 2}}
  %y = accel.split %x axis 2 : tensor<4x12xf32> -> tensor<4x12xf32>
  return
}

// -----

func.func @split_c1_none(%x: tensor<4x12xf32>) {
  // expected-error@below {{'accel.split' op expected one result or more, got none}}
  "accel.split"(%x) {axis = 1 : i64} : (tensor<4x12xf32>) -> ()
  return
}

// -----

func.func @split_c2(%x: tensor<4x12xf32>) {
  // expected-error@below {{'accel.split' op expected the sizes of `results` along axis 1 to add up to the 12 of `operand`, got 9}}
  %y:2 = accel.split %x axis 1 : tensor<4x12xf32> -> tensor<4x4xf32>, tensor<4x5xf32>
  return
}

// -----

func.func @split_c2_shape(%x: tensor<4x12xf32>) {
  // expected-error@below {{'accel.split' op expected `results[1]` of shape (4, 8), got (3, 8)}}
  %y:2 = accel.split %x axis 1 : tensor<4x12xf32> -> tensor<4x4xf32>, tensor<3x8xf32>
  return
}

// -----

func.func @split_c2_rank(%x: tensor<4x12xf32>) {
  // expected-error@below {{'accel.split' op expected `results[0]` of shape (4, 12), got (48)}}
  %y = accel.split %x axis 1 : tensor<4x12xf32> -> tensor<48xf32>
  return
}

// -----

func.func @split_c2_type(%x: tensor<4x12xf32>) {
  // expected-error@below {{'accel.split' op expected `results[0]` of element type 'f32', got 'f64'}}
  %y = accel.split %x axis 1 : tensor<4x12xf32> -> tensor<4x12xf64>
  return
}

// -----

func.func @concat_c1(%x: tensor<4x12xf32>) {
  // expected-error@below {{'accel.concat' op expected `axis` to be a dimension, 0 to 1, got -1}}
  %y = accel.concat %x axis -1 : tensor<4x12xf32> -> tensor<4x12xf32>
  return
}

// -----

func.func @concat_c1_none() {
  // expected-error@below {{'accel.concat' op expected one operand or more, got none}}
  %y = "accel.concat"() {axis = 0 : i64} : () -> tensor<0xf32>
  return
}

// -----

func.func @concat_c2(%x: tensor<4x12xf32>) {
  // expected-error@below {{'accel.concat' op expected the sizes of `operands` along axis 0 to add up to the 9 of `result`, got 8}}
  %y = accel.concat %x, %x axis 0 : tensor<4x12xf32>, tensor<4x12xf32> -> tensor<9x12xf32>
  return
}

// -----

func.func @concat_c2_shape(%x: tensor<4x12xf32>) {
  // expected-error@below {{'accel.concat' op expected `operands[0]` of shape (4, 24), got (4, 12)}}
  %y = accel.concat %x, %x axis 0 : tensor<4x12xf32>, tensor<4x12xf32> -> tensor<8x24xf32>
  return
}
