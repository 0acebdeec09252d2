// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each numbered constraint of matrix products and look-ups, violated.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @matmul_c1(%x: tensor<8xf32>, %w: tensor<8x16xf32>) {
  // expected-error@below {{'accel.matmul' op expected `lhs` of rank 2 or more, got rank 1}}
  %z = accel.matmul %x, %w : tensor<8xf32>, tensor<8x16xf32> -> tensor<16xf32>
  return
}

// -----

func.func @matmul_c1_rank(%x: tensor<2x4x8xf32>, %w: tensor<8x16xf32>) {
  // expected-error@below {{'accel.matmul' op expected `rhs` of rank 3, got rank 2}}
  %z = accel.matmul %x, %w : tensor<2x4x8xf32>, tensor<8x16xf32> -> tensor<2x4x16xf32>
  return
}

// -----

func.func @matmul_c1_type(%x: tensor<4x8xf32>, %w: tensor<8x16xf64>) {
  // expected-error@below {{'accel.matmul' op expected `rhs` of element type 'f32', got 'f64'}}
  %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf64> -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c1_result(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) {
  // expected-error@below {{'accel.matmul' op expected `result` of element type 'f32', got 'f64'}}
  %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf64>
  return
}

// -----

// Only operands of 16 bits may be summed in another type, and that is f32.
func.func @matmul_c1_sum(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>) {
  // expected-error@below {{'accel.matmul' op expected `result` of element type 'bf16', got 'f64'}}
  %z = accel.matmul %x, %w : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xf64>
  return
}

// -----

func.func @matmul_c1_wide(%x: tensor<4x8xf64>, %w: tensor<8x16xf64>) {
  // expected-error@below {{'accel.matmul' op expected `result` of element type 'f64', got 'f32'}}
  %z = accel.matmul %x, %w : tensor<4x8xf64>, tensor<8x16xf64> -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c1_mixed(%x: tensor<4x8xbf16>, %w: tensor<8x16xf32>) {
  // expected-error@below {{'accel.matmul' op expected `rhs` of element type 'bf16', got 'f32'}}
  %z = accel.matmul %x, %w : tensor<4x8xbf16>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_role(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) {
  // expected-error@below {{expected string or keyword containing one of the following enum values for attribute 'role' [forward, input_gradient, weight_gradient]}}
  %z = accel.matmul %x, %w as gradient : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c4(%x: tensor<4x64xf8E4M3FN>, %w: tensor<64x16xf8E4M3FN>, %s: tensor<4x2xf8E8M0FNU>) {
  // expected-error@below {{'accel.matmul' op expected two scales of operands of 8 bits, and `block` a power of two from 32 on, or neither, got 1 of 'f8E4M3FN' and `block` 32}}
  %z = accel.matmul %x, %w scaled by(%s : tensor<4x2xf8E8M0FNU>) per 32 : tensor<4x64xf8E4M3FN>, tensor<64x16xf8E4M3FN> -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c4_type(%x: tensor<4x64xbf16>, %w: tensor<64x16xbf16>, %s: tensor<4x2xf8E8M0FNU>, %t: tensor<2x16xf8E8M0FNU>) {
  // expected-error@below {{expected two scales of operands of 8 bits, and `block` a power of two from 32 on, or neither, got 2 of 'bf16' and `block` 32}}
  %z = accel.matmul %x, %w scaled by(%s, %t : tensor<4x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>) per 32 : tensor<4x64xbf16>, tensor<64x16xbf16> -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c4_block(%x: tensor<4x64xf8E4M3FN>, %w: tensor<64x16xf8E4M3FN>, %s: tensor<4x4xf8E8M0FNU>, %t: tensor<4x16xf8E8M0FNU>) {
  // expected-error@below {{got 2 of 'f8E4M3FN' and `block` 16}}
  %z = accel.matmul %x, %w scaled by(%s, %t : tensor<4x4xf8E8M0FNU>, tensor<4x16xf8E8M0FNU>) per 16 : tensor<4x64xf8E4M3FN>, tensor<64x16xf8E4M3FN> -> tensor<4x16xf32>
  return
}

// -----

// The scales of a transposed operand lie as it does.
func.func @matmul_c4_lhs(%x: tensor<64x4xf8E4M3FN>, %w: tensor<64x16xf8E4M3FN>, %s: tensor<4x2xf8E8M0FNU>, %t: tensor<2x16xf8E8M0FNU>) {
  // expected-error@below {{'accel.matmul' op expected `scales of lhs` of shape (2, 4), got (4, 2)}}
  %z = accel.matmul %x, %w scaled by(%s, %t : tensor<4x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>) per 32 {transpose_lhs} : tensor<64x4xf8E4M3FN>, tensor<64x16xf8E4M3FN> -> tensor<4x16xf32>
  return
}

// -----

// What is left of the summed index has a scale, too.
func.func @matmul_c4_rhs(%x: tensor<4x80xf8E4M3FN>, %w: tensor<80x16xf8E4M3FN>, %s: tensor<4x3xf8E8M0FNU>, %t: tensor<2x16xf8E8M0FNU>) {
  // expected-error@below {{'accel.matmul' op expected `scales of rhs` of shape (3, 16), got (2, 16)}}
  %z = accel.matmul %x, %w scaled by(%s, %t : tensor<4x3xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>) per 32 : tensor<4x80xf8E4M3FN>, tensor<80x16xf8E4M3FN> -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<2x4x8xf32>, %w: tensor<3x8x16xf32>) {
  // expected-error@below {{'accel.matmul' op expected the leading dimensions of `rhs` to be those of `lhs`, (2), got (3)}}
  %z = accel.matmul %x, %w : tensor<2x4x8xf32>, tensor<3x8x16xf32> -> tensor<2x4x16xf32>
  return
}

// -----

func.func @matmul_c2_result(%x: tensor<2x4x8xf32>, %w: tensor<2x8x16xf32>) {
  // expected-error@below {{'accel.matmul' op expected `result` of shape (2, 4, 16), got (1, 4, 16)}}
  %z = accel.matmul %x, %w : tensor<2x4x8xf32>, tensor<2x8x16xf32> -> tensor<1x4x16xf32>
  return
}

// -----

func.func @matmul_c3(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) {
  // expected-error@below {{'accel.matmul' op expected the inner dimension of `rhs` to be that of `lhs`, 8, got 16}}
  %z = accel.matmul %x, %w {transpose_rhs} : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @matmul_c3_lhs(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) {
  // expected-error@below {{'accel.matmul' op expected the inner dimension of `rhs` to be that of `lhs`, 4, got 8}}
  %z = accel.matmul %x, %w {transpose_lhs} : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

func.func @matmul_c3_result(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) {
  // expected-error@below {{'accel.matmul' op expected `result` of shape (4, 16), got (16, 4)}}
  %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @gather_c1(%t: tensor<9x3xf32>, %i: tensor<4x8xi64>) {
  // expected-error@below {{'accel.gather' op expected `result` of shape (4, 8, 3), got (4, 3)}}
  %y = accel.gather %t, %i : tensor<9x3xf32>, tensor<4x8xi64> -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c1_type(%t: tensor<9x3xf32>, %i: tensor<4xi64>) {
  // expected-error@below {{'accel.gather' op expected `result` of element type 'f32', got 'f64'}}
  %y = accel.gather %t, %i : tensor<9x3xf32>, tensor<4xi64> -> tensor<4x3xf64>
  return
}

// -----

func.func @gather_c1_scalar(%t: tensor<f32>, %i: tensor<4xi64>) {
  // expected-error@below {{'accel.gather' op expected `table` of rank 1 or more, got rank 0}}
  %y = accel.gather %t, %i : tensor<f32>, tensor<4xi64> -> tensor<4xf32>
  return
}

// -----

func.func @gather_c2(%t: tensor<9x3xf32>, %i: tensor<4xi64>) {
  // expected-error@below {{'accel.gather' op expected `padding_row` to be a row of `table`, 0 to 8, got 9}}
  %y = accel.gather %t, %i {padding_row = 9 : i64} : tensor<9x3xf32>, tensor<4xi64> -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_add_c1(%i: tensor<4xi64>, %u: tensor<5x3xf32>) {
  // expected-error@below {{'accel.scatter_add' op expected `updates` of shape (4, 3), got (5, 3)}}
  %y = accel.scatter_add %i, %u : tensor<4xi64>, tensor<5x3xf32> -> tensor<9x3xf32>
  return
}

// -----

func.func @scatter_add_c1_type(%i: tensor<4xi64>, %u: tensor<4x3xf32>) {
  // expected-error@below {{'accel.scatter_add' op expected `updates` of element type 'f64', got 'f32'}}
  %y = accel.scatter_add %i, %u : tensor<4xi64>, tensor<4x3xf32> -> tensor<9x3xf64>
  return
}

// -----

func.func @gather_nd_c1(%x: tensor<4x8xf32>, %i: tensor<5x3xi64>) {
  // expected-error@below {{'accel.gather_nd' op expected index tuples of at most 2 elements, the rank of `operand` without `batch_dims`, got 3}}
  %y = accel.gather_nd %x, %i batch_dims 0 : tensor<4x8xf32>, tensor<5x3xi64> -> tensor<5xf32>
  return
}

// -----

func.func @gather_nd_c1_batch(%x: tensor<4x8xf32>, %i: tensor<4x1xi64>) {
  // expected-error@below {{'accel.gather_nd' op expected `batch_dims` to count leading dimensions of `operand` and, without the last, of `indices`, got 2}}
  %y = accel.gather_nd %x, %i batch_dims 2 : tensor<4x8xf32>, tensor<4x1xi64> -> tensor<4xf32>
  return
}

// -----

func.func @gather_nd_c1_scalar(%x: tensor<4x8xf32>, %i: tensor<i64>) {
  // expected-error@below {{'accel.gather_nd' op expected `indices` of rank 1 or more, got rank 0}}
  %y = accel.gather_nd %x, %i batch_dims 0 : tensor<4x8xf32>, tensor<i64> -> tensor<8xf32>
  return
}

// -----

func.func @gather_nd_c2(%x: tensor<4x8xf32>, %i: tensor<5x1xi64>) {
  // expected-error@below {{'accel.gather_nd' op expected `result` of shape (5, 8), got (5)}}
  %y = accel.gather_nd %x, %i batch_dims 0 : tensor<4x8xf32>, tensor<5x1xi64> -> tensor<5xf32>
  return
}

// -----

func.func @gather_nd_c2_batch(%x: tensor<4x8xf32>, %i: tensor<5x1xi64>) {
  // expected-error@below {{'accel.gather_nd' op expected `indices` to begin with the batch dimensions of `operand`, (4), got (5)}}
  %y = accel.gather_nd %x, %i batch_dims 1 : tensor<4x8xf32>, tensor<5x1xi64> -> tensor<5xf32>
  return
}

// -----

// Floats of 8 bits are summed in f32, and multiply each other only.
func.func @matmul_c1_bytes(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x16xf8E5M2>, %v: tensor<8x16xbf16>) {
  %sound = accel.matmul %x, %w : tensor<4x8xf8E4M3FN>, tensor<8x16xf8E5M2> -> tensor<4x16xf32>
  // expected-error@below {{expected `result` of f32, in which floats of 8 bits are summed, got 'bf16'}}
  %y = accel.matmul %x, %w : tensor<4x8xf8E4M3FN>, tensor<8x16xf8E5M2> -> tensor<4x16xbf16>
  return
}

// -----

func.func @matmul_c1_mixed(%x: tensor<4x8xf8E4M3FN>, %v: tensor<8x16xbf16>) {
  // expected-error@below {{'accel.matmul' op expected}}
  %z = accel.matmul %x, %v : tensor<4x8xf8E4M3FN>, tensor<8x16xbf16> -> tensor<4x16xf32>
  return
}

// -----

func.func @grouped_matmul_c1(%x: tensor<12x8xf32>, %w: tensor<4x8x16xf32>, %i: tensor<12xi64>) {
  // expected-error@below {{'accel.grouped_matmul' op expected `weights` of shape (4, 16, 8), got (4, 8, 16)}}
  %y = accel.grouped_matmul %x, %w, %i {transpose_weights} : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
  return
}

// -----

func.func @grouped_matmul_c1_single(%x: tensor<12x8xf32>, %w: tensor<8x16xf32>, %i: tensor<12xi64>) {
  // expected-error@below {{'accel.grouped_matmul' op expected `weights` of shape (16, 8), got (8, 16)}}
  %y = accel.grouped_matmul %x, %w, %i {transpose_weights} : tensor<12x8xf32>, tensor<8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
  return
}

// -----

func.func @grouped_matmul_c1_indices(%x: tensor<12x8xf32>, %w: tensor<4x8x16xf32>, %i: tensor<11xi64>) {
  // expected-error@below {{'accel.grouped_matmul' op expected `indices` of shape (12), got (11)}}
  %y = accel.grouped_matmul %x, %w, %i : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<11xi64> -> tensor<12x16xf32>
  return
}

// -----

func.func @grouped_outer_c1(%x: tensor<12x8xf32>, %y: tensor<12x16xf32>, %i: tensor<12xi64>) {
  // expected-error@below {{'accel.grouped_outer' op expected `result` of shape (4, 8, 16), got (4, 16, 8)}}
  %g = accel.grouped_outer %x, %y, %i : tensor<12x8xf32>, tensor<12x16xf32>, tensor<12xi64> -> tensor<4x16x8xf32>
  return
}

// -----

func.func @grouped_outer_c1_type(%x: tensor<12x8xf32>, %y: tensor<12x16xf64>, %i: tensor<12xi64>) {
  // expected-error@below {{'accel.grouped_outer' op expected `rhs` of element type 'f32', got 'f64'}}
  %g = accel.grouped_outer %x, %y, %i : tensor<12x8xf32>, tensor<12x16xf64>, tensor<12xi64> -> tensor<4x8x16xf32>
  return
}

// -----

func.func @grouped_matmul_c1_sums(%x: tensor<12x8xbf16>, %w: tensor<4x8x16xbf16>, %i: tensor<12xi64>) {
  // expected-error@below {{'accel.grouped_matmul' op expected `result` of element type 'bf16', got 'f32'}}
  %y = accel.grouped_matmul %x, %w, %i : tensor<12x8xbf16>, tensor<4x8x16xbf16>, tensor<12xi64> -> tensor<12x16xf32>
  return
}

// -----

func.func @grouped_outer_c1_sums(%x: tensor<12x8xbf16>, %y: tensor<12x16xbf16>, %i: tensor<12xi64>) {
  // expected-error@below {{'accel.grouped_outer' op expected `result` of element type 'bf16', got 'f64'}}
  %g = accel.grouped_outer %x, %y, %i : tensor<12x8xbf16>, tensor<12x16xbf16>, tensor<12xi64> -> tensor<4x8x16xf64>
  return
}
