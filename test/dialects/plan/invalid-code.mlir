// RUN: accel-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{expected elements, rows, columns or heads, got blocks}}
func.func private @code_unit() attributes {plan.code = {v = #plan.code<1 tiles of 128 blocks>}}

// -----

// expected-error@below {{expected grain, workspace, vectors, packed, dots or threads, got lanes}}
func.func private @code_word() attributes {plan.code = {v = #plan.code<1 tiles of 128 elements, lanes 64>}}

// -----

// expected-error@below {{expected positive numbers of tiles and of what a tile has, got 0 and 128}}
func.func private @code_units() attributes {plan.code = {v = #plan.code<0 tiles of 128 elements>}}

// -----

// expected-error@below {{expected a grain of 0 or of all 4 tiles, got 2}}
func.func private @code_grain() attributes {plan.code = {v = #plan.code<4 tiles of 128 elements, grain 2>}}

// -----

// expected-error@below {{expected a workspace of a multiple of 64 bytes, got 100}}
func.func private @code_workspace() attributes {plan.code = {v = #plan.code<4 tiles of 128 elements, workspace 100>}}

// -----

// expected-error@below {{expected the names of a library and of its function, got "" and "multiply"}}
func.func private @call_name() attributes {plan.code = {v = #plan.library_call<"" "multiply">}}

// -----

// expected-error@below {{expected a workspace of a multiple of 64 bytes, got 100}}
func.func private @call_workspace() attributes {plan.code = {v = #plan.library_call<"matrices" "multiply", workspace 100>}}

// -----

// expected-error@below {{expected a positive number of lanes, got 0}}
plan.variant @variant_c1 cpu tuned for "x86-64-v3" needs ["avx2"] lanes 0

// -----

plan.variant @wide cpu tuned for "x86-64-v4" needs ["avx512f"] lanes 64
// expected-error@below {{expected the 64 lanes of @wide, since all variants compute the same bits, got 32}}
plan.variant @variant_c1 cpu tuned for "x86-64-v3" needs ["avx2"] lanes 32

// -----

// expected-error@+2 {{expected a product of positive sizes, got 1 of 4x0 over 8}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'product'}}
func.func private @product_sizes() attributes {plan.code = {v = #plan.library_call<"matrices" "multiply" product <1 of 4x0 over 8, lhs 0, rhs 1>>}}

// -----

// expected-error@+2 {{expected operands and offsets that are not negative, got -1 from 0 scaled by -1 from 0}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'product'}}
func.func private @product_operand() attributes {plan.code = {v = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs -1>>}}

// -----

// expected-error@+2 {{expected operands and offsets that are not negative, got 0 from 0 scaled by 1 from -4}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'product'}}
func.func private @product_scale() attributes {plan.code = {v = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0 scaled by 1 from -4, rhs 0>>}}

// -----

// expected-error@+2 {{expected factors of TF32 without scales, which are of floats of 8 bits}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'product'}}
func.func private @product_tf32() attributes {plan.code = {v = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1 scaled by 2, tf32>>}}

// -----

// expected-error@+2 {{expected no activation of scaled sums}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'product'}}
func.func private @product_scaled_gelu() attributes {plan.code = {v = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1 scaled by 2, gelu>>}}

// -----

// expected-error@+2 {{expected no bias beside the gradient of GELU}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'product'}}
func.func private @product_gradient_bias() attributes {plan.code = {v = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, bias 2, gelu_gradient of 3>>}}

// -----

// expected-error@+2 {{expected a place of GELU's operand, got 2 from -8}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'product'}}
func.func private @product_gradient_place() attributes {plan.code = {v = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, gelu_gradient of 2 from -8>>}}

// -----

// expected-error@+2 {{expected a bias in an operand that is not negative, got 2 from -8}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'product'}}
func.func private @product_bias() attributes {plan.code = {v = #plan.library_call<"matrices" "multiply" product <1 of 4x16 over 8, lhs 0, rhs 1, bias 2 from -8>>}}

// -----

// expected-error@+2 {{expected rows and columns of a product, got 3 dimensions}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'product'}}
func.func private @product_shape() attributes {plan.code = {v = #plan.library_call<"matrices" "multiply" product <1 of 4x16x2 over 8, lhs 0, rhs 1>>}}

// -----

// expected-error@below {{expected threads in whole warps of 32, at most 1024 of them, got 48}}
func.func private @threads() attributes {plan.code = {v = #plan.code<1 tiles of 128 elements, threads 48>}}
