// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of element-wise operations have one shape and an element type that the operation knows.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @unary_of_integers(%x: tensor<4xi64>) {
  // expected-error@below {{'accel.exp' op operand #0 must be ranked tensor of floating point values, but got 'tensor<4xi64>'}}
  %y = accel.exp %x : tensor<4xi64>
  return
}

// -----

func.func @binary_of_booleans(%x: tensor<4xi1>) {
  // expected-error@below {{'accel.add' op operand #0 must be ranked tensor of}}
  %y = accel.add %x, %x : tensor<4xi1>
  return
}

// -----

func.func @binary_of_two_shapes(%x: tensor<4xf32>, %y: tensor<1xf32>) {
  // expected-error@below {{'accel.mul' op requires the same type for all operands and results}}
  %z = "accel.mul"(%x, %y) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @binary_of_two_element_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@below {{'accel.sub' op requires the same type for all operands and results}}
  %z = "accel.sub"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @power_of_integers(%x: tensor<4xi32>) {
  // expected-error@below {{'accel.pow' op operand #0 must be ranked tensor of floating point values}}
  %y = accel.pow %x, %x : tensor<4xi32>
  return
}

// -----

func.func @conjunction_of_numbers(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.and' op operand #0 must be ranked tensor of 1-bit signless integer values}}
  %y = accel.and %x, %x : tensor<4xf32>
  return
}

// -----

func.func @negation_of_numbers(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.not' op operand #0 must be ranked tensor of 1-bit signless integer values}}
  %y = accel.not %x : tensor<4xf32>
  return
}

// -----

func.func @bits_of_floats(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.bitwise' op operand #0 must be ranked tensor of signless integer values, but got 'tensor<4xf32>'}}
  %y = accel.bitwise xor, %x, %x : tensor<4xf32>
  return
}

// -----

func.func @bits_of_an_unknown_function(%x: tensor<4xi32>) {
  // expected-error@below {{expected string or keyword containing one of the following enum values for attribute 'function' [and, or, xor, shift_left, shift_right]}}
  %y = accel.bitwise nand, %x, %x : tensor<4xi32>
  return
}

// -----

func.func @bitcast_of_half_floats(%x: tensor<4xf16>) {
  // expected-error@below {{'accel.bitcast' op operand #0 must be ranked tensor of}}
  %y = accel.bitcast %x : tensor<4xf16> -> tensor<4xf16>
  return
}

// -----

func.func @bitcast_c1(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.bitcast' op expected element types of one width, got 'f32' and 'i64'}}
  %y = accel.bitcast %x : tensor<4xf32> -> tensor<4xi64>
  return
}

// -----

func.func @codes_of_two_shapes(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.quantize' op requires the same shape for all operands and results}}
  %y = accel.quantize dynamic_signed, %x : tensor<4xf32> -> tensor<3xui8>
  return
}

// -----

func.func @codes_are_no_booleans(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.quantize' op result #0 must be ranked tensor of 8-bit code values, but got 'tensor<4xi1>'}}
  %y = accel.quantize dynamic_signed, %x : tensor<4xf32> -> tensor<4xi1>
  return
}

// -----

func.func @sum_of_codes(%x: tensor<4xui8>) {
  // expected-error@below {{'accel.add' op operand #0 must be ranked tensor of}}
  %y = accel.add %x, %x : tensor<4xui8>
  return
}

// -----

func.func @is_nan_of_two_shapes(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.is_nan' op requires the same shape for all operands and results}}
  %y = accel.is_nan %x : tensor<4xf32> -> tensor<3xi1>
  return
}

// -----

func.func @compare_of_two_types(%x: tensor<4xf32>, %i: tensor<4xi64>) {
  // expected-error@below {{'accel.compare' op requires all operands to have the same type}}
  %y = "accel.compare"(%x, %i) {predicate = 0 : i32} : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_with_another_result(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.compare' op requires the same shape for all operands and results}}
  %y = accel.compare lt, %x, %x : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

func.func @select_of_two_types(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@below {{'accel.select' op failed to verify that all of {on_true, on_false, result} have same type}}
  %z = "accel.select"(%c, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @select_by_another_shape(%c: tensor<1xi1>, %x: tensor<4xf32>) {
  // expected-error@below {{'accel.select' op requires the same shape for all operands and results}}
  %z = accel.select %c, %x, %x : tensor<1xi1>, tensor<4xf32>
  return
}

// -----

func.func @cast_to_another_shape(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.cast' op requires the same shape for all operands and results}}
  %y = accel.cast %x : tensor<4xf32> -> tensor<5xf64>
  return
}

// -----

func.func @cast_to_an_unknown_type(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.cast' op result #0 must be ranked tensor of element type or 8-bit float values, but got 'tensor<4xi7>'}}
  %y = accel.cast %x : tensor<4xf32> -> tensor<4xi7>
  return
}

// -----

func.func @cast_c1(%x: tensor<4xi64>) {
  // expected-error@below {{'accel.cast' op expected a cast between an 8-bit float and another float, got one from 'i64' to 'f8E5M2': cast to f32 in between}}
  %y = accel.cast %x saturate : tensor<4xi64> -> tensor<4xf8E5M2>
  return
}

// -----

func.func @cast_c1_to_boolean(%x: tensor<4xf8E8M0FNU>) {
  // expected-error@below {{'accel.cast' op expected a cast between an 8-bit float and another float, got one from 'f8E8M0FNU' to 'i1': cast to f32 in between}}
  %y = accel.cast %x : tensor<4xf8E8M0FNU> -> tensor<4xi1>
  return
}

// -----

func.func @cast_c2(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.cast' op expected `saturate` on a cast to 'f8E4M3FN', got none: such casts always saturate}}
  %y = accel.cast %x : tensor<4xf32> -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @cast_c2_scale(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.cast' op expected `saturate` on casts to bf16, f16, f8E4M3FN and f8E5M2 only, got it on one to 'f8E8M0FNU'}}
  %y = accel.cast %x saturate : tensor<4xf32> -> tensor<4xf8E8M0FNU>
  return
}

// -----

func.func @cast_c2_single(%x: tensor<4xf64>) {
  // expected-error@below {{'accel.cast' op expected `saturate` on casts to bf16, f16, f8E4M3FN and f8E5M2 only, got it on one to 'f32'}}
  %y = accel.cast %x saturate : tensor<4xf64> -> tensor<4xf32>
  return
}

// -----

func.func @sum_of_byte_floats(%x: tensor<4xf8E4M3FN>) {
  // expected-error@below {{'accel.add' op operand #0 must be ranked tensor of 32-bit float or 64-bit float or bfloat16 type or 16-bit float or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<4xf8E4M3FN>'}}
  %y = accel.add %x, %x : tensor<4xf8E4M3FN>
  return
}

// -----

func.func @function_of_byte_floats(%x: tensor<4xf8E5M2>) {
  // expected-error@below {{'accel.exp' op operand #0 must be ranked tensor of floating point values, but got 'tensor<4xf8E5M2>'}}
  %y = accel.exp %x : tensor<4xf8E5M2>
  return
}

// -----

func.func @comparison_of_scales(%x: tensor<4xf8E8M0FNU>) {
  // expected-error@below {{'accel.compare' op operand #0 must be ranked tensor of element type values, but got 'tensor<4xf8E8M0FNU>'}}
  %y = accel.compare lt, %x, %x : tensor<4xf8E8M0FNU> -> tensor<4xi1>
  return
}

// -----

func.func @gelu_of_an_unknown_form(%x: tensor<4xf32>) {
  // expected-error@below {{expected string or keyword containing one of the following enum values for attribute 'approximation' [none, tanh]}}
  %y = accel.gelu quick, %x : tensor<4xf32>
  return
}

// -----

func.func @gelu_gradient_of_another_shape(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@below {{'accel.gelu_grad' op requires the same shape for all operands and results}}
  %z = accel.gelu_grad tanh, %x, %y : tensor<4xf32>, tensor<5xf32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error@below {{'accel.neg' op operand #0 must be ranked tensor of floating point values}}
  %y = "accel.neg"(%x) : (tensor<*xf32>) -> tensor<*xf32>
  return
}
