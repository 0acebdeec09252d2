// What the products of a low program must read and make, violated.
// RUN: accel-opt %s --accel-verify-precision --split-input-file --verify-diagnostics

module attributes {accel.precision = bf16} {
  accel.parameter @w : tensor<8x8xf32> trainable compute bf16
  accel.parameter @v : tensor<8x8xf32> trainable compute bf16
  func.func @microbatch(%x: tensor<4x8xf32>, %low: tensor<4x8xbf16>) {
    // A parameter is read in one type.
    // expected-error@below {{expected parameter 'w' to be read as 'tensor<8x8xbf16>', got 'tensor<8x8xf32>'}}
    %w = accel.read @w : tensor<8x8xf32>
    // Nobody has said that this product stays f32.
    // expected-error@below {{expected operands of 'bf16', got 'f32'}}
    %y = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    // What is low has been rounded by somebody, here by the cast, there by nobody.
    %v = accel.read @v : tensor<8x8xbf16>
    %cast = accel.cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
    %view = accel.reshape %cast : tensor<4x8xbf16> -> tensor<4x8xbf16>
    %sound = accel.matmul %view, %v : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
    // expected-error@below {{expected each operand to come from a cast to 'bf16', a parameter or another result of 'bf16', got one that does not}}
    %z = accel.matmul %low, %v : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
    %sum = accel.add %cast, %cast : tensor<4x8xbf16>
    // expected-error@below {{expected each operand to come from a cast to 'bf16', a parameter or another result of 'bf16', got one that does not}}
    %s = accel.matmul %v, %sum {transpose_rhs} : tensor<8x8xbf16>, tensor<4x8xbf16> -> tensor<8x4xf32>
    // A product is summed in f32, that of a gradient, too.
    // expected-error@below {{expected a product that is summed in f32, got a result of 'bf16'}}
    %n = accel.matmul %cast, %v : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xbf16>
    // expected-error@below {{expected a product that is summed in f32, got a result of 'bf16'}}
    %g = accel.matmul %cast, %cast as weight_gradient {transpose_lhs} : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<8x8xbf16>
    return
  }
}

// -----

// A product that is excluded reads f32.
module attributes {accel.precision = bf16} {
  accel.parameter @w : tensor<8x8xf32> trainable
  accel.parameter @v : tensor<8x8xf32> trainable compute bf16
  func.func @microbatch(%x: tensor<4x8xf32>) {
    %w = accel.read @w : tensor<8x8xf32>
    %sound = accel.matmul %x, %w {accel.precision_reason = "--precision-exclude='w'"} : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %v = accel.read @v : tensor<8x8xbf16>
    %low = accel.cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
    // expected-error@below {{expected operands of 'f32', as the product is excluded, got 'bf16'}}
    %z = accel.matmul %low, %v {accel.precision_reason = "--precision-exclude='v'"} : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
    return
  }
}

// -----

// Attention and its gradient are sites, too: the gradient reads five numbers.
module attributes {accel.precision = bf16} {
  func.func @microbatch(%x: tensor<1x1x4x8xf32>, %nobody: tensor<1x1x4x8xbf16>) {
    // expected-error@below {{expected operands of 'bf16', got 'f32'}}
    %w:2 = accel.attention %x, %x, %x scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32> -> tensor<1x1x4x8xf32>, tensor<1x1x4xf32>
    %q = accel.cast %x : tensor<1x1x4x8xf32> -> tensor<1x1x4x8xbf16>
    %y, %lse = accel.attention %q, %q, %q scale 1.0 : tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16> -> tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>
    %g:3 = accel.attention_grad %q, %q, %q, %q, %y, %lse scale 1.0 : tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>
    // expected-error@below {{expected each operand to come from a cast to 'bf16', a parameter or another result of 'bf16', got one that does not}}
    %h:3 = accel.attention_grad %q, %q, %q, %q, %nobody, %lse scale 1.0 : tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>
    return
  }
}

// -----

// A module that nothing was asked of is not looked at.
module {
  func.func @microbatch(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) {
    %y = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    return
  }
}
