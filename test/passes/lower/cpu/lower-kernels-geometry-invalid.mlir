// RUN: accel-opt %s --accel-lower-kernels --split-input-file --verify-diagnostics

// expected-error@below {{expected a plan.variant to write code for, got none: run --accel-assign-geometry first}}
module {
  func.func @unplanned(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
      plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
    return %x : tensor<4xf32>
  }
}

// -----

plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
// expected-error@below {{expected `plan.code` to say how code for 'x86-64-v3' is cut, or which library it calls, got {"x86-64-v4" = #plan.code<1 tiles of 128 elements>}}}
func.func @other_variant(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64},
    plan.code = {"x86-64-v4" = #plan.code<1 tiles of 128 elements>}} {
  return %x : tensor<4xf32>
}

// -----

plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
func.func @small(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) -> tensor<4x8xf32> attributes {
    plan.kernel = {kind = "product", block = 16 : i64, elements = 32 : i64, rows = 4 : i64, columns = 8 : i64},
    plan.code = {"x86-64-v3" = #plan.code<1 tiles of 32 columns, workspace 64, vectors 1, packed 32>}} {
  // expected-error@below {{expected register blocks of 1 or 2 vectors, tiles of whole blocks, columns that are packed in whole blocks and a workspace of 3008 bytes, got #plan.code<1 tiles of 32 columns, workspace 64, vectors 1, packed 32>}}
  %c = accel.matmul %a, %b : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
func.func @wide(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) -> tensor<4x8xf32> attributes {
    plan.kernel = {kind = "product", block = 16 : i64, elements = 32 : i64, rows = 4 : i64, columns = 8 : i64},
    plan.code = {"x86-64-v3" = #plan.code<1 tiles of 32 columns, workspace 3008, vectors 3, packed 32>}} {
  // expected-error@below {{expected register blocks of 1 or 2 vectors}}
  %c = accel.matmul %a, %b : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// Ten rows are no whole register blocks of six.
plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
func.func @cut(%a: tensor<40x16xf32>, %b: tensor<16x8xf32>) -> tensor<40x8xf32> attributes {
    plan.kernel = {kind = "product", block = 16 : i64, elements = 320 : i64, rows = 40 : i64, columns = 8 : i64},
    plan.code = {"x86-64-v3" = #plan.code<4 tiles of 10 rows, workspace 65536, vectors 1, packed 32>}} {
  // expected-error@below {{tiles of whole blocks}}
  %c = accel.matmul %a, %b : tensor<40x16xf32>, tensor<16x8xf32> -> tensor<40x8xf32>
  return %c : tensor<40x8xf32>
}

// -----

plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
func.func @tiles(%q: tensor<1x1x8x16xf32>) -> tensor<1x1x8x16xf32> attributes {
    plan.kernel = {kind = "attention", elements = 64 : i64, rows = 8 : i64, columns = 8 : i64},
    plan.code = {"x86-64-v3" = #plan.code<2 tiles of 64 rows, workspace 65536, vectors 1>}} {
  // expected-error@below {{expected 1 tiles, register blocks of at least one vector and a workspace of}}
  %y, %l = accel.attention %q, %q, %q scale 1.0 : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32> -> tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
  return %y : tensor<1x1x8x16xf32>
}

// -----

plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
func.func @grouped(%x: tensor<12x8xf32>, %w: tensor<4x8x16xf32>, %i: tensor<12xi64>) -> tensor<12x16xf32> attributes {
    plan.kernel = {kind = "grouped", elements = 192 : i64, rows = 12 : i64, columns = 16 : i64},
    plan.code = {"x86-64-v3" = #plan.code<1 tiles of 64 columns, workspace 65536, vectors 1>}} {
  // expected-error@below {{expected 4 tiles, register blocks of at least one vector and a workspace of 65600 bytes, got #plan.code<1 tiles of 64 columns, workspace 65536, vectors 1>}}
  %y = accel.grouped_matmul %x, %w, %i : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
  return %y : tensor<12x16xf32>
}

// -----

plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
// expected-error@below {{expected tiles of a multiple of 8 rows, which are turned at once, that divides the 24 rows that are neighbours in transposed order, got 16}}
func.func @turned(%x: tensor<24x16xf32>) -> (tensor<24x16xf8E5M2>, tensor<16x24xf8E5M2>) attributes {
    plan.kernel = {kind = "rows", elements = 384 : i64, rows = 24 : i64, columns = 16 : i64},
    plan.code = {"x86-64-v3" = #plan.code<2 tiles of 16 rows>}} {
  %y = accel.cast %x saturate : tensor<24x16xf32> -> tensor<24x16xf8E5M2>
  %t = accel.transpose %y [1, 0] stored : tensor<24x16xf8E5M2> -> tensor<16x24xf8E5M2>
  return %y, %t : tensor<24x16xf8E5M2>, tensor<16x24xf8E5M2>
}

// -----

plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
func.func @sums(%x: tensor<16x16xf32>) -> (tensor<16x16xf8E5M2>, tensor<16x16xf8E5M2>, tensor<16xf32>) attributes {
    plan.kernel = {kind = "rows", elements = 256 : i64, rows = 16 : i64, columns = 16 : i64},
    plan.code = {"x86-64-v3" = #plan.code<1 tiles of 16 rows>}} {
  %y = accel.cast %x saturate : tensor<16x16xf32> -> tensor<16x16xf8E5M2>
  // expected-error@below {{in kernel 'sums' is not contiguous over the 16 elements of a run}}
  %t = accel.transpose %y [1, 0] stored : tensor<16x16xf8E5M2> -> tensor<16x16xf8E5M2>
  %s = accel.reduce_sum %x [1] : tensor<16x16xf32> -> tensor<16xf32>
  return %y, %t, %s : tensor<16x16xf8E5M2>, tensor<16x16xf8E5M2>, tensor<16xf32>
}
