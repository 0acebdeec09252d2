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

// -----

// expected-error@+2 {{expected positive sizes, got 0 samples, 2 channels and 4 filters}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'convolution'}}
func.func private @convolution_samples() attributes {plan.code = {v = #plan.library_call<"tensors" "convolve" convolution <forward of 0 samples at [3], windows [3] strides [1] dilations [1], 2 channels to 4, image <0, strides [10, 2, 1]>, weights <1, strides [6, 2, 1]>, output <2, strides [12, 4, 1]>>>}}

// -----

// expected-error@+2 {{expected one to three spatial dimensions, got 4}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'convolution'}}
func.func private @convolution_spatial() attributes {plan.code = {v = #plan.library_call<"tensors" "convolve" convolution <forward of 1 samples at [3, 3, 3, 3], windows [3] strides [1] dilations [1], 2 channels to 4, image <0, strides [10, 2, 1]>, weights <1, strides [6, 2, 1]>, output <2, strides [12, 4, 1]>>>}}

// -----

// expected-error@+2 {{expected a positive number for each of 1 spatial dimensions, got [3, 3]}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'convolution'}}
func.func private @convolution_windows() attributes {plan.code = {v = #plan.library_call<"tensors" "convolve" convolution <forward of 1 samples at [3], windows [3, 3] strides [1] dilations [1], 2 channels to 4, image <0, strides [10, 2, 1]>, weights <1, strides [6, 2, 1]>, output <2, strides [12, 4, 1]>>>}}

// -----

// expected-error@+2 {{expected a positive number for each of 1 spatial dimensions, got [0]}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'convolution'}}
func.func private @convolution_places() attributes {plan.code = {v = #plan.library_call<"tensors" "convolve" convolution <forward of 1 samples at [0], windows [3] strides [1] dilations [1], 2 channels to 4, image <0, strides [10, 2, 1]>, weights <1, strides [6, 2, 1]>, output <2, strides [12, 4, 1]>>>}}

// -----

// expected-error@+2 {{expected strides of 3 dimensions, got [10, 2]}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'convolution'}}
func.func private @convolution_strides() attributes {plan.code = {v = #plan.library_call<"tensors" "convolve" convolution <forward of 1 samples at [3], windows [3] strides [1] dilations [1], 2 channels to 4, image <0, strides [10, 2]>, weights <1, strides [6, 2, 1]>, output <2, strides [12, 4, 1]>>>}}

// -----

// expected-error@+3 {{expected an operand and an offset that are not negative, got -1 from 0}}
// expected-error@+2 {{failed to parse Plan_ConvolutionAttr parameter 'image'}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'convolution'}}
func.func private @convolution_operand() attributes {plan.code = {v = #plan.library_call<"tensors" "convolve" convolution <forward of 1 samples at [3], windows [3] strides [1] dilations [1], 2 channels to 4, image <-1, strides [10, 2, 1]>, weights <1, strides [6, 2, 1]>, output <2, strides [12, 4, 1]>>>}}

// -----

// expected-error@+3 {{expected a positive stride for each dimension, got [10, 0, 1]}}
// expected-error@+2 {{failed to parse Plan_ConvolutionAttr parameter 'image'}}
// expected-error@below {{failed to parse Plan_LibraryCallAttr parameter 'convolution'}}
func.func private @convolution_stride() attributes {plan.code = {v = #plan.library_call<"tensors" "convolve" convolution <forward of 1 samples at [3], windows [3] strides [1] dilations [1], 2 channels to 4, image <0, strides [10, 0, 1]>, weights <1, strides [6, 2, 1]>, output <2, strides [12, 4, 1]>>>}}

// -----

// expected-error@below {{expected a call of a product or a convolution, got both}}
func.func private @convolution_of_product() attributes {plan.code = {v = #plan.library_call<"tensors" "convolve" product <1 of 4x16 over 8, lhs 0, rhs 1> convolution <forward of 1 samples at [3], windows [3] strides [1] dilations [1], 2 channels to 4, image <0, strides [10, 2, 1]>, weights <1, strides [6, 2, 1]>, output <2, strides [12, 4, 1]>>>}}
