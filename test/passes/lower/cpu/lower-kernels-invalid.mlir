// RUN: accel-opt %s --accel-assign-geometry --accel-lower-kernels --split-input-file --verify-diagnostics

// expected-error@below {{expected `plan.kernel` with a kind (flat, rows, columns, concat, attention, product or grouped), got {kind = "diagonal"}}}
func.func @unknown_kind(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {kind = "diagonal"}} {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{expected rows * columns = elements, got 2 * 3 and 7}}
func.func @contradiction(%x: tensor<7xf32>) -> tensor<7xf32> attributes {
    plan.kernel = {kind = "rows", elements = 7 : i64, rows = 2 : i64, columns = 3 : i64}} {
  return %x : tensor<7xf32>
}

// -----

// expected-error@below {{expected elements of type f32, f64, bf16, f16, f8E4M3FN, f8E5M2, f8E8M0FNU, i32, i64, i1 or ui8 in a kernel, got 'tensor<4xi8>'}}
func.func @unknown_type(%x: tensor<4xi8>) -> tensor<4xi8> attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  return %x : tensor<4xi8>
}

// -----

// Floats of 16 bits are moved and cast; there is no arithmetic on them.
func.func @half(%x: tensor<4xbf16>) -> tensor<4xbf16> attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  // expected-error@below {{'accel.neg' op in kernel 'half' has no code for 'tensor<4xbf16>': cast operands to f32, and the result back}}
  %y = accel.neg %x : tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

func.func @half_sum(%x: tensor<4x8xf16>) -> tensor<4xf16> attributes {
    plan.kernel = {kind = "rows", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  // expected-error@below {{'accel.reduce_sum' op in kernel 'half_sum' has no code for 'tensor<4x8xf16>': cast operands to f32, and the result back}}
  %y = accel.reduce_sum %x [1] : tensor<4x8xf16> -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

// expected-error@below {{expected result 0, which is added to what is there, to be f32 or f64, got 'tensor<4xbf16>'}}
func.func @half_accumulated(%x: tensor<4xf32>) -> (tensor<4xbf16> {plan.accumulate}) attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  %y = accel.cast %x : tensor<4xf32> -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// The error names the kernel and the operation.
func.func @no_arithmetic(%x: tensor<4xbf16>) -> tensor<4xbf16> attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  // expected-error@below {{'accel.erf' op in kernel 'no_arithmetic' has no code for 'tensor<4xbf16>'}}
  %y = accel.erf %x : tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

func.func @product_in_flat(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {
    plan.kernel = {kind = "flat", elements = 16 : i64, rows = 1 : i64, columns = 16 : i64}} {
  // expected-error@below {{'accel.matmul' op in kernel 'product_in_flat' has no code for 'tensor<4x4xf32>'}}
  %y = accel.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @not_a_run(%x: tensor<6x4xf32>) -> tensor<4x6xf32> attributes {
    plan.kernel = {kind = "rows", elements = 24 : i64, rows = 4 : i64, columns = 6 : i64}} {
  // expected-error@below {{in kernel 'not_a_run' is not contiguous over the 6 elements of a run}}
  %t = accel.transpose %x [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %y = accel.neg %t : tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @other_rows(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> attributes {
    plan.kernel = {kind = "rows", elements = 64 : i64, rows = 8 : i64, columns = 8 : i64}} {
  // expected-error@below {{expected to reduce 8 rows of 8, got 'tensor<2x4x8xf32>'}}
  %y = accel.reduce_sum %x [1, 2] : tensor<2x4x8xf32> -> tensor<2xf32>
  %z = accel.broadcast %y [0] : tensor<2xf32> -> tensor<2x4x8xf32>
  return %z : tensor<2x4x8xf32>
}

// -----

// expected-error@below {{in kernel 'other_result' expected results of 64 or 8 elements, got 'tensor<2xf32>'}}
func.func @other_result(%x: tensor<2x4x8xf32>, %y: tensor<2xf32>) -> tensor<2xf32> attributes {
    plan.kernel = {kind = "rows", elements = 64 : i64, rows = 8 : i64, columns = 8 : i64}} {
  %z = accel.neg %y : tensor<2xf32>
  return %z : tensor<2xf32>
}

// -----

// expected-error@below {{in kernel 'no_attention' expected an attention, got none}}
func.func @no_attention(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    plan.kernel = {kind = "attention", elements = 4 : i64, rows = 4 : i64, columns = 1 : i64}} {
  return %x : tensor<4xf32>
}

// -----

func.func @swapped(%q: tensor<1x1x8x16xf32>, %k: tensor<1x1x16x8xf32>) -> tensor<1x1x8x16xf32> attributes {
    plan.kernel = {kind = "attention", elements = 1 : i64, rows = 1 : i64, columns = 1 : i64}} {
  %t = accel.transpose %k [0, 1, 3, 2] : tensor<1x1x16x8xf32> -> tensor<1x1x8x16xf32>
  // expected-error@below {{in kernel 'swapped' expected operands that lie in memory, the last dimension contiguous, got one of 'tensor<1x1x8x16xf32>' that does not}}
  %y, %l = accel.attention %q, %t, %q scale 1.0 : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32> -> tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
  return %y : tensor<1x1x8x16xf32>
}

// -----

func.func @double(%q: tensor<1x1x8x16xf64>) -> tensor<1x1x8x16xf64> attributes {
    plan.kernel = {kind = "attention", elements = 1 : i64, rows = 1 : i64, columns = 1 : i64}} {
  // expected-error@below {{in kernel 'double' has no code for 'tensor<1x1x8x16xf64>'}}
  %y, %l = accel.attention %q, %q, %q scale 1.0 : tensor<1x1x8x16xf64>, tensor<1x1x8x16xf64>, tensor<1x1x8x16xf64> -> tensor<1x1x8x16xf64>, tensor<1x1x8xf64>
  return %y : tensor<1x1x8x16xf64>
}

// -----

// expected-error@below {{in kernel 'no_product' expected a product, got none}}
func.func @no_product(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
    plan.kernel = {block = 16 : i64, kind = "product", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  return %x : tensor<4x8xf32>
}

// -----

func.func @odd_block(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) -> tensor<4x8xf32> attributes {
    plan.kernel = {block = 12 : i64, kind = "product", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  // expected-error@below {{expected 4 rows of 8 in each of 1 matrices and blocks of a multiple of 16, got 4, 8, 1 and 12}}
  %c = accel.matmul %a, %b : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// expected-error@below {{expected `plan.kernel` with a positive `block`, got <<NULL ATTRIBUTE>>}}
func.func @no_block(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) -> tensor<4x8xf32> attributes {
    plan.kernel = {kind = "product", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// expected-error@below {{expected equal rows of each of `matrices`, got 4 rows and 3 matrices}}
func.func @unequal(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) -> tensor<4x8xf32> attributes {
    plan.kernel = {block = 16 : i64, kind = "product", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64, matrices = 3 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

func.func @one_of_two(%a: tensor<2x2x16xf32>, %b: tensor<2x16x8xf32>) -> tensor<2x2x8xf32> attributes {
    plan.kernel = {block = 16 : i64, kind = "product", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  // expected-error@below {{in kernel 'one_of_two' expected 2 rows of 8 in each of 2 matrices and blocks of a multiple of 16, got 4, 8, 1 and 16}}
  %c = accel.matmul %a, %b : tensor<2x2x16xf32>, tensor<2x16x8xf32> -> tensor<2x2x8xf32>
  return %c : tensor<2x2x8xf32>
}

// -----

func.func @doubles(%a: tensor<4x16xf64>, %b: tensor<16x8xf64>) -> tensor<4x8xf64> attributes {
    plan.kernel = {block = 16 : i64, kind = "product", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  // expected-error@below {{in kernel 'doubles' expected a product of f32, bf16, f16, f8E4M3FN or f8E5M2 that is summed in f32, got 'tensor<4x16xf64>' and 'tensor<4x8xf64>'}}
  %c = accel.matmul %a, %b : tensor<4x16xf64>, tensor<16x8xf64> -> tensor<4x8xf64>
  return %c : tensor<4x8xf64>
}

// -----

func.func @turned(%a: tensor<16x4xf32>, %b: tensor<16x8xf32>) -> tensor<4x8xf32> attributes {
    plan.kernel = {block = 16 : i64, kind = "product", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  %t = accel.transpose %a [1, 0] : tensor<16x4xf32> -> tensor<4x16xf32>
  // expected-error@below {{in kernel 'turned' expected operands that lie in memory, got one of 'tensor<4x16xf32>' that does not}}
  %c = accel.matmul %t, %b : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

func.func @both(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) -> (tensor<4x8xf32> {plan.accumulate}, tensor<4x8xf32>) attributes {
    plan.kernel = {block = 16 : i64, kind = "product", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  // expected-error@below {{in kernel 'both' expected no other result beside a product that is added to what is there}}
  %c = accel.matmul %a, %b : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  %n = accel.neg %c : tensor<4x8xf32>
  return %c, %n : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

func.func @sums(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) attributes {
    plan.kernel = {block = 16 : i64, kind = "product", elements = 32 : i64, rows = 4 : i64, columns = 8 : i64}} {
  // expected-error@below {{in kernel 'sums' expected results of 32 elements, got 'tensor<4xf32>'}}
  %c = accel.matmul %a, %b : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  %s = accel.reduce_sum %c [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %c, %s : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// expected-error@below {{expected `plan.accumulate` of result 0 to be the number of an argument of 'tensor<i1>', got 1}}
func.func @undecided(%a: tensor<32xf32>, %b: tensor<2xi1>) -> (tensor<32xf32> {plan.accumulate = 1 : i64}) attributes {
    plan.kernel = {kind = "flat", elements = 32 : i64, rows = 1 : i64, columns = 32 : i64}} {
  return %a : tensor<32xf32>
}

// -----

func.func @doubles(%x: tensor<12x8xf64>, %w: tensor<4x8x16xf64>, %i: tensor<12xi64>) -> tensor<12x16xf64> attributes {
    plan.kernel = {kind = "grouped", elements = 192 : i64, rows = 12 : i64, columns = 16 : i64}} {
  // expected-error@below {{in kernel 'doubles' expected a grouped product of f32, bf16 or f16, and sums of outer products in f32, got one of 'f64' with results of 'f64': gather the matrices and multiply those}}
  %y = accel.grouped_matmul %x, %w, %i : tensor<12x8xf64>, tensor<4x8x16xf64>, tensor<12xi64> -> tensor<12x16xf64>
  return %y : tensor<12x16xf64>
}

// -----

func.func @roundedSums(%x: tensor<12x8xbf16>, %y: tensor<12x16xbf16>, %i: tensor<12xi64>) -> tensor<4x8x16xbf16> attributes {
    plan.kernel = {kind = "grouped", elements = 512 : i64, rows = 32 : i64, columns = 16 : i64}} {
  // expected-error@below {{in kernel 'roundedSums' expected a grouped product of f32, bf16 or f16, and sums of outer products in f32, got one of 'bf16' with results of 'bf16'}}
  %g = accel.grouped_outer %x, %y, %i : tensor<12x8xbf16>, tensor<12x16xbf16>, tensor<12xi64> -> tensor<4x8x16xbf16>
  return %g : tensor<4x8x16xbf16>
}

// -----

// expected-error@below {{in kernel 'empty' expected a grouped product, got none}}
func.func @empty(%x: tensor<12x16xf32>) -> tensor<12x16xf32> attributes {
    plan.kernel = {kind = "grouped", elements = 192 : i64, rows = 12 : i64, columns = 16 : i64}} {
  return %x : tensor<12x16xf32>
}
