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

// -----

// With floats of 8 bits the sums are multiplied by the inverses of both scales, and by nothing before.
module attributes {accel.precision = bf16, accel.fp8 = {recipe = "current", forward = f8E4M3FN, gradient = f8E5M2}} {
  accel.parameter @w : tensor<16x16xf32> trainable compute f8E4M3FN {scale = 1 : i64}
  accel.parameter @v : tensor<16x16xf32> trainable compute f8E4M3FN {scale = 0 : i64}
  accel.state @weight_scale scale : tensor<2xf32>
  accel.state @weight_inverse scale : tensor<2xf32>
  func.func @microbatch(%x: tensor<16x16xf32>, %low: tensor<16x16xbf16>, %bytes: tensor<16x16xf8E4M3FN>, %any: tensor<f32>) {
    %one = accel.constant dense<1.0> : tensor<f32>
    %inverses = accel.read @weight_inverse : tensor<2xf32>
    %second = accel.slice %inverses [1] strides [1] : tensor<2xf32> -> tensor<1xf32>
    %wi = accel.reshape %second : tensor<1xf32> -> tensor<f32>
    %bwi = accel.broadcast %wi [] : tensor<f32> -> tensor<16x16xf32>
    %abs = accel.abs %x : tensor<16x16xf32>
    %amax = accel.reduce_max %abs [0, 1] : tensor<16x16xf32> -> tensor<f32>
    %least = accel.constant dense<1.0e-30> : tensor<f32>
    %divisor = accel.max %amax, %least : tensor<f32>
    %largest = accel.constant dense<448.0> : tensor<f32>
    %scale = accel.div %largest, %divisor : tensor<f32>
    %bs = accel.broadcast %scale [] : tensor<f32> -> tensor<16x16xf32>
    %xs = accel.mul %x, %bs : tensor<16x16xf32>
    %xq = accel.cast %xs saturate : tensor<16x16xf32> -> tensor<16x16xf8E4M3FN>
    %xi = accel.div %one, %scale : tensor<f32>
    %bxi = accel.broadcast %xi [] : tensor<f32> -> tensor<16x16xf32>
    %w = accel.read @w : tensor<16x16xf8E4M3FN>
    %v = accel.read @v : tensor<16x16xf8E4M3FN>
    %sound = accel.matmul %xq, %w : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %sound1 = accel.mul %sound, %bxi : tensor<16x16xf32>
    %sound2 = accel.mul %sound1, %bwi : tensor<16x16xf32>
    // The scale of another parameter.
    // expected-error@below {{expected the sums to be multiplied by the inverse of the scale of each operand, got another use}}
    %a = accel.matmul %xq, %v : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %a1 = accel.mul %a, %bxi : tensor<16x16xf32>
    %a2 = accel.mul %a1, %bwi : tensor<16x16xf32>
    // The scale itself.
    // expected-error@below {{expected the sums to be multiplied by the inverse of the scale of each operand, got another use}}
    %b = accel.matmul %xq, %w : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %b1 = accel.mul %b, %bs : tensor<16x16xf32>
    %b2 = accel.mul %b1, %bwi : tensor<16x16xf32>
    // One of them.
    // expected-error@below {{expected the sums to be multiplied by the inverse of the scale of each operand, got another use}}
    %c = accel.matmul %xq, %w : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %c1 = accel.mul %c, %bxi : tensor<16x16xf32>
    %c2 = accel.tanh %c1 : tensor<16x16xf32>
    // What somebody else reads unscaled.
    // expected-error@below {{expected the sums to be multiplied by the inverse of the scale of each operand, got another use}}
    %d = accel.matmul %xq, %w : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %d1 = accel.mul %d, %bxi : tensor<16x16xf32>
    %d2 = accel.mul %d1, %bwi : tensor<16x16xf32>
    %d3 = accel.tanh %d : tensor<16x16xf32>
    // expected-error@below {{expected each operand to come from a cast to 'f8E4M3FN', a parameter or another result of 'f8E4M3FN', got one that does not}}
    %e = accel.matmul %bytes, %w : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    // A scale that is not of the tensor's largest magnitude.
    %bany = accel.broadcast %any [] : tensor<f32> -> tensor<16x16xf32>
    %os = accel.mul %x, %bany : tensor<16x16xf32>
    %oq = accel.cast %os saturate : tensor<16x16xf32> -> tensor<16x16xf8E4M3FN>
    %oi = accel.div %one, %any : tensor<f32>
    %boi = accel.broadcast %oi [] : tensor<f32> -> tensor<16x16xf32>
    // expected-error@below {{expected the sums to be multiplied by the inverse of the scale of each operand, got another use}}
    %h = accel.matmul %oq, %w : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %h1 = accel.mul %h, %boi : tensor<16x16xf32>
    %h2 = accel.mul %h1, %bwi : tensor<16x16xf32>
    // A gradient has the type of gradients.
    // expected-error@below {{expected one operand of 'f8E5M2', the type of gradients, got 0}}
    %i = accel.matmul %xq, %w as input_gradient {transpose_rhs} : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %i1 = accel.mul %i, %bxi : tensor<16x16xf32>
    %i2 = accel.mul %i1, %bwi : tensor<16x16xf32>
    // A product of bf16 says why it is one; with a reason it is bf16.
    %lowx = accel.cast %x : tensor<16x16xf32> -> tensor<16x16xbf16>
    // expected-error@below {{expected operands of 'f8E4M3FN' or 'f8E5M2', got 'bf16'}}
    %f = accel.matmul %lowx, %lowx : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
    %sound3 = accel.matmul %lowx, %lowx {accel.precision_reason = "it makes the logits"} : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
    // expected-error@below {{expected operands of 'bf16', as the product is excluded, got 'f8E4M3FN'}}
    %g = accel.matmul %xq, %w {accel.precision_reason = "it makes the logits"} : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    return
  }
}

// -----

// Each parameter has a scale of its own.
module attributes {accel.precision = bf16, accel.fp8 = {recipe = "current", forward = f8E4M3FN, gradient = f8E5M2}} {
  accel.parameter @w : tensor<16x16xf32> trainable compute f8E4M3FN {scale = 0 : i64}
  // expected-error@below {{expected parameter 'v' to have a scale of its own among the 2 of 'weight_scale', got 0}}
  accel.parameter @v : tensor<16x16xf32> trainable compute f8E4M3FN {scale = 0 : i64}
  accel.state @weight_scale scale : tensor<2xf32>
  func.func @microbatch() {
    return
  }
}

// -----

// With scales that are known before, the element of the inverse is that of the scale, and its magnitude that of the tensor.
module attributes {accel.precision = bf16, accel.fp8 = {recipe = "delayed", forward = f8E4M3FN, gradient = f8E5M2, margin = 1 : i64}} {
  accel.state @delayed_scale scale : tensor<2xf32> {accel.delayed_largest = dense<[224.0, 448.0]> : tensor<2xf32>, initial = 1.0 : f64}
  accel.state @delayed_inverse scale : tensor<2xf32> {initial = 1.0 : f64}
  accel.state @delayed_amax accumulator_max : tensor<2xf32>
  func.func @microbatch(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) {
    %scales = accel.read @delayed_scale : tensor<2xf32>
    %inverses = accel.read @delayed_inverse : tensor<2xf32>
    %s0 = accel.slice %scales [0] strides [1] : tensor<2xf32> -> tensor<1xf32>
    %xscale = accel.reshape %s0 : tensor<1xf32> -> tensor<f32>
    %s1 = accel.slice %scales [1] strides [1] : tensor<2xf32> -> tensor<1xf32>
    %yscale = accel.reshape %s1 : tensor<1xf32> -> tensor<f32>
    %i0 = accel.slice %inverses [0] strides [1] : tensor<2xf32> -> tensor<1xf32>
    %xi = accel.reshape %i0 : tensor<1xf32> -> tensor<f32>
    %i1 = accel.slice %inverses [1] strides [1] : tensor<2xf32> -> tensor<1xf32>
    %yi = accel.reshape %i1 : tensor<1xf32> -> tensor<f32>
    %bxs = accel.broadcast %xscale [] : tensor<f32> -> tensor<16x16xf32>
    %xs = accel.mul %x, %bxs : tensor<16x16xf32>
    %xq = accel.cast %xs saturate : tensor<16x16xf32> -> tensor<16x16xf8E4M3FN>
    %bys = accel.broadcast %yscale [] : tensor<f32> -> tensor<16x16xf32>
    %ys = accel.mul %y, %bys : tensor<16x16xf32>
    %yq = accel.cast %ys saturate : tensor<16x16xf32> -> tensor<16x16xf8E4M3FN>
    %bxi = accel.broadcast %xi [] : tensor<f32> -> tensor<16x16xf32>
    %byi = accel.broadcast %yi [] : tensor<f32> -> tensor<16x16xf32>
    // The magnitude of y is not found: that of x is its own, and y's as well.
    // expected-error@below {{expected the sums to be multiplied by the inverse of the scale of each operand, got another use}}
    %p = accel.matmul %xq, %yq : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %p1 = accel.mul %p, %bxi : tensor<16x16xf32>
    %p2 = accel.mul %p1, %byi : tensor<16x16xf32>
    %sound = accel.matmul %xq, %xq : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %sound1 = accel.mul %sound, %bxi : tensor<16x16xf32>
    %sound2 = accel.mul %sound1, %bxi : tensor<16x16xf32>
    // The inverse of another tensor's scale.
    // expected-error@below {{expected the sums to be multiplied by the inverse of the scale of each operand, got another use}}
    %q = accel.matmul %xq, %xq : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %q1 = accel.mul %q, %bxi : tensor<16x16xf32>
    %q2 = accel.mul %q1, %byi : tensor<16x16xf32>
    // The right magnitude, but a scale for another largest number.
    %bi1 = accel.broadcast %yi [] : tensor<f32> -> tensor<16x16xf32>
    %zs = accel.mul %x, %bys : tensor<16x16xf32>
    %zq = accel.cast %zs saturate : tensor<16x16xf32> -> tensor<16x16xf8E4M3FN>
    // expected-error@below {{expected the sums to be multiplied by the inverse of the scale of each operand, got another use}}
    %r = accel.matmul %zq, %xq : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
    %r1 = accel.mul %r, %bi1 : tensor<16x16xf32>
    %r2 = accel.mul %r1, %bxi : tensor<16x16xf32>
    %abs = accel.abs %x : tensor<16x16xf32>
    %amax = accel.reduce_max %abs [0, 1] : tensor<16x16xf32> -> tensor<f32>
    %a = accel.reshape %amax : tensor<f32> -> tensor<1xf32>
    %all = accel.concat %a, %a axis 0 : tensor<1xf32>, tensor<1xf32> -> tensor<2xf32>
    %before = accel.read @delayed_amax : tensor<2xf32>
    %raised = accel.max %before, %all : tensor<2xf32>
    accel.write @delayed_amax, %raised : tensor<2xf32>
    return
  }
}

// -----

// The first inverse is that of the first scale.
module attributes {accel.precision = bf16, accel.fp8 = {recipe = "delayed", forward = f8E4M3FN, gradient = f8E5M2, margin = 0 : i64}} {
  // expected-error@below {{expected scales, inverses, magnitudes and history of as many tensors, with scale 1 at step 0, got others}}
  accel.state @delayed_scale scale : tensor<2xf32> {initial = 1.0 : f64}
  accel.state @delayed_inverse scale : tensor<2xf32> {initial = 0.5 : f64}
  accel.state @delayed_amax accumulator_max : tensor<2xf32>
  func.func @microbatch() {
    return
  }
}

// -----

// Magnitudes that are no maxima would be neither cleared nor exchanged as such.
module attributes {accel.precision = bf16, accel.fp8 = {recipe = "delayed", forward = f8E4M3FN, gradient = f8E5M2, margin = 0 : i64}} {
  // expected-error@below {{expected scales, inverses, magnitudes and history of as many tensors, with scale 1 at step 0, got others}}
  accel.state @delayed_scale scale : tensor<2xf32> {initial = 1.0 : f64}
  accel.state @delayed_inverse scale : tensor<2xf32> {initial = 1.0 : f64}
  accel.state @delayed_amax scale : tensor<2xf32>
  func.func @microbatch() {
    return
  }
}

// -----

// A history of other tensors.
module attributes {accel.precision = bf16, accel.fp8 = {recipe = "delayed", forward = f8E4M3FN, gradient = f8E5M2, margin = 0 : i64}} {
  // expected-error@below {{expected scales, inverses, magnitudes and history of as many tensors, with scale 1 at step 0, got others}}
  accel.state @delayed_scale scale : tensor<2xf32> {initial = 1.0 : f64}
  accel.state @delayed_inverse scale : tensor<2xf32> {initial = 1.0 : f64}
  accel.state @delayed_amax accumulator_max : tensor<2xf32>
  accel.state @delayed_history scale : tensor<3x4xf32>
  accel.state @delayed_column counter : tensor<f64>
  func.func @microbatch() {
    return
  }
}

// -----

// Magnitudes are raised once.
module attributes {accel.precision = bf16, accel.fp8 = {recipe = "delayed", forward = f8E4M3FN, gradient = f8E5M2, margin = 0 : i64}} {
  accel.state @delayed_scale scale : tensor<2xf32> {initial = 1.0 : f64}
  accel.state @delayed_inverse scale : tensor<2xf32> {initial = 1.0 : f64}
  accel.state @delayed_amax accumulator_max : tensor<2xf32>
  func.func @microbatch() {
    %x = accel.constant dense<0.0> : tensor<2xf32>
    accel.write @delayed_amax, %x : tensor<2xf32>
    // expected-error@below {{expected a microbatch to write 'delayed_amax' once and no other state of the scales, got a write of 'delayed_amax'}}
    accel.write @delayed_amax, %x : tensor<2xf32>
    return
  }
}

// -----

// A scale is the same for all microbatches.
module attributes {accel.precision = bf16, accel.fp8 = {recipe = "delayed", forward = f8E4M3FN, gradient = f8E5M2, margin = 0 : i64}} {
  accel.state @delayed_scale scale : tensor<2xf32> {initial = 1.0 : f64}
  accel.state @delayed_inverse scale : tensor<2xf32> {initial = 1.0 : f64}
  accel.state @delayed_amax accumulator_max : tensor<2xf32>
  func.func @microbatch() {
    %x = accel.constant dense<0.0> : tensor<2xf32>
    // expected-error@below {{expected a microbatch to write 'delayed_amax' once and no other state of the scales, got a write of 'delayed_scale'}}
    accel.write @delayed_scale, %x : tensor<2xf32>
    return
  }
}

// -----

// What a model casts itself: a choice of rounded numbers is rounded, and a constant is what it is.
module attributes {accel.precision = bf16} {
  func.func @kernel(%x: tensor<4xf32>, %c: tensor<4xi1>) -> tensor<4xbf16> attributes {plan.kernel = {}} {
    %low = accel.cast %x : tensor<4xf32> -> tensor<4xbf16>
    %number = accel.constant dense<2.0> : tensor<4xbf16>
    %y = accel.select %c, %low, %number : tensor<4xi1>, tensor<4xbf16>
    return %y : tensor<4xbf16>
  }
}
