// RUN: accel-opt %s --accel-sparse-prediction --split-input-file --verify-diagnostics

// expected-error@below {{expected a function @microbatch, got none}}
module {
}

// -----

// expected-error@below {{--sparse-prediction: expected a loss that is a cross entropy of labels, got another one}}
func.func @microbatch(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  return %x : tensor<8x16xf32>
}

// -----

func.func @microbatch(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %labels: tensor<8xi64>) -> (tensor<8xf32>, tensor<8x32xf32>) {
  %logits = accel.matmul %x, %w : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  // expected-error@below {{because their logits are used by something else, too; compile without --sparse-prediction}}
  %losses, %lse = accel.softmax_cross_entropy %logits, %labels : tensor<8x32xf32>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
  return %losses, %logits : tensor<8xf32>, tensor<8x32xf32>
}

// -----

// Two products: neither may be skipped alone.
func.func @microbatch(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %v: tensor<16x32xf32>, %labels: tensor<8xi64>) -> tensor<8xf32> {
  %one = accel.matmul %x, %w : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %two = accel.matmul %x, %v : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %logits = accel.add %one, %two : tensor<8x32xf32>
  // expected-error@below {{because their logits are not a product of rows and a matrix, with a bias, a scale or a bound behind it}}
  %losses, %lse = accel.softmax_cross_entropy %logits, %labels : tensor<8x32xf32>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
  return %losses : tensor<8xf32>
}

// -----

// Classes in front of places: rows of logits are columns of the product.
func.func @microbatch(%x: tensor<16x8xf32>, %w: tensor<32x16xf32>, %labels: tensor<8xi64>) -> tensor<8xf32> {
  %product = accel.matmul %w, %x : tensor<32x16xf32>, tensor<16x8xf32> -> tensor<32x8xf32>
  %logits = accel.transpose %product [1, 0] : tensor<32x8xf32> -> tensor<8x32xf32>
  // expected-error@below {{not a product of rows and a matrix}}
  %losses, %lse = accel.softmax_cross_entropy %logits, %labels : tensor<8x32xf32>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
  return %losses : tensor<8xf32>
}

// -----

// The logarithm of a row of zeros is infinite, and its gradient no number.
func.func @microbatch(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %labels: tensor<8xi64>) -> tensor<8xf32> {
  %product = accel.matmul %x, %w : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %logits = accel.log %product : tensor<8x32xf32>
  // expected-error@below {{not a product of rows and a matrix}}
  %losses, %lse = accel.softmax_cross_entropy %logits, %labels : tensor<8x32xf32>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
  return %losses : tensor<8xf32>
}

// -----

// Each sample a matrix of its own.
func.func @microbatch(%x: tensor<2x4x16xf32>, %w: tensor<2x16x32xf32>, %labels: tensor<8xi64>) -> tensor<8xf32> {
  %product = accel.matmul %x, %w : tensor<2x4x16xf32>, tensor<2x16x32xf32> -> tensor<2x4x32xf32>
  %logits = accel.reshape %product : tensor<2x4x32xf32> -> tensor<8x32xf32>
  // expected-error@below {{because their logits are not rows times one matrix of f32}}
  %losses, %lse = accel.softmax_cross_entropy %logits, %labels : tensor<8x32xf32>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
  return %losses : tensor<8xf32>
}
