// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each numbered constraint of the composites without attention, violated.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @layer_norm_c1(%x: tensor<4x8xf32>, %g: tensor<4xf32>) {
  // expected-error@below {{'accel.layer_norm' op expected `scale` of shape (8), got (4)}}
  %y:3 = accel.layer_norm %x, %g epsilon 0.1 : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c1_bias(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf64>) {
  // expected-error@below {{'accel.layer_norm' op expected `bias` of element type 'f32', got 'f64'}}
  %y:3 = accel.layer_norm %x, %g, %b epsilon 0.1 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf64> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c1_result(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // expected-error@below {{'accel.layer_norm' op expected `result` of shape (4, 8), got (8, 4)}}
  %y:3 = accel.layer_norm %x, %g epsilon 0.1 : tensor<4x8xf32>, tensor<8xf32> -> tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c1_mean(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // expected-error@below {{'accel.layer_norm' op expected `mean` of shape (4), got (8)}}
  %y:3 = accel.layer_norm %x, %g epsilon 0.1 : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c1_rstd(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // expected-error@below {{'accel.layer_norm' op expected `rstd` of shape (4), got (4, 1)}}
  %y:3 = accel.layer_norm %x, %g epsilon 0.1 : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4x1xf32>
  return
}

// -----

func.func @layer_norm_c1_scalar(%x: tensor<f32>, %g: tensor<8xf32>) {
  // expected-error@below {{'accel.layer_norm' op expected `operand` of rank 1 or more, got rank 0}}
  %y:3 = accel.layer_norm %x, %g epsilon 0.1 : tensor<f32>, tensor<8xf32> -> tensor<f32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error@below {{'accel.layer_norm' op expected `epsilon` of 0 or more, got -1.000000e+00}}
  %y:3 = accel.layer_norm %x, %g, %b epsilon -1.0 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<4x8xf32>, %g: tensor<4xf32>) {
  // expected-error@below {{'accel.batch_norm' op expected `scale` of shape (8), got (4)}}
  %y:3 = accel.batch_norm %x, %g, %g, %g, %g along 0 epsilon 0.1 momentum 0.1 : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_c1_rank(%x: tensor<8xf32>, %g: tensor<8xf32>) {
  // expected-error@below {{'accel.batch_norm' op expected `operand` of rank 2 or more, got rank 1}}
  %y:3 = accel.batch_norm %x, %g, %g, %g, %g along 0 epsilon 0.1 momentum 0.1 : tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @batch_norm_c1_element(%x: tensor<4x8xf32>, %g: tensor<8xf64>) {
  // expected-error@below {{'accel.batch_norm' op expected `scale` of element type 'f32', got 'f64'}}
  %y:3 = accel.batch_norm %x, %g, %g, %g, %g along 0 epsilon 0.1 momentum 0.1 : tensor<4x8xf32>, tensor<8xf64>
  return
}

// -----

func.func @batch_norm_c1_weights(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %w: tensor<8xf32>) {
  // expected-error@below {{'accel.batch_norm' op expected `weights` of shape (4), got (8)}}
  %y:3 = accel.batch_norm %x, %g, %g, %g, %g weights %w along 0 epsilon 0.1 momentum 0.1 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @batch_norm_c1_along(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // expected-error@below {{'accel.batch_norm' op expected `along` to be a dimension of the operand that does not count channels, got 1}}
  %y:3 = accel.batch_norm %x, %g, %g, %g, %g along 1 epsilon 0.1 momentum 0.1 : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @batch_norm_c2(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // expected-error@below {{'accel.batch_norm' op expected `epsilon` of 0 or more, got -1.000000e+00}}
  %y:3 = accel.batch_norm %x, %g, %g, %g, %g along 0 epsilon -1.0 momentum 0.1 : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @batch_norm_c2_momentum(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // expected-error@below {{'accel.batch_norm' op expected `momentum` in [0, 1], got 1.100000e+00}}
  %y:3 = accel.batch_norm %x, %g, %g, %g, %g along 0 epsilon 0.1 momentum 1.1 : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<f32>) {
  // expected-error@below {{'accel.softmax' op expected `operand` of rank 1 or more, got rank 0}}
  %y = accel.softmax %x : tensor<f32>
  return
}

// -----

func.func @softmax_cross_entropy_c1(%x: tensor<2x4x8xf32>, %l: tensor<4xi64>) {
  // expected-error@below {{'accel.softmax_cross_entropy' op expected `logits` of rank 2, got rank 3}}
  %y:2 = accel.softmax_cross_entropy %x, %l : tensor<2x4x8xf32>, tensor<4xi64> -> tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @softmax_cross_entropy_c1_labels(%x: tensor<4x8xf32>, %l: tensor<8xi64>) {
  // expected-error@below {{'accel.softmax_cross_entropy' op expected `labels` of shape (4), got (8)}}
  %y:2 = accel.softmax_cross_entropy %x, %l : tensor<4x8xf32>, tensor<8xi64> -> tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @softmax_cross_entropy_c1_losses(%x: tensor<4x8xf32>, %l: tensor<4xi64>) {
  // expected-error@below {{'accel.softmax_cross_entropy' op expected `losses` of shape (4), got (1)}}
  %y:2 = accel.softmax_cross_entropy %x, %l : tensor<4x8xf32>, tensor<4xi64> -> tensor<1xf32>, tensor<4xf32>
  return
}

// -----

func.func @softmax_cross_entropy_c1_lse(%x: tensor<4x8xf32>, %l: tensor<4xi64>) {
  // expected-error@below {{'accel.softmax_cross_entropy' op expected `lse` of element type 'f32', got 'f64'}}
  %y:2 = accel.softmax_cross_entropy %x, %l : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>, tensor<4xf64>
  return
}

// -----

func.func @dropout_c1(%x: tensor<4x8xf32>, %s: tensor<3xi64>, %k: tensor<i64>) {
  // expected-error@below {{'accel.dropout' op expected the first dimension of `operand` to be a multiple of the 3 of `samples`, got 4}}
  %y = accel.dropout %x, %s, %k probability 0.1 site 1 : tensor<4x8xf32>, tensor<3xi64>, tensor<i64>
  return
}

// -----

func.func @dropout_c1_samples(%x: tensor<4x8xf32>, %s: tensor<i64>, %k: tensor<i64>) {
  // expected-error@below {{'accel.dropout' op expected `samples` of rank 1, got rank 0}}
  %y = accel.dropout %x, %s, %k probability 0.1 site 1 : tensor<4x8xf32>, tensor<i64>, tensor<i64>
  return
}

// -----

func.func @dropout_c1_seed(%x: tensor<4x8xf32>, %s: tensor<4xi64>) {
  // expected-error@below {{'accel.dropout' op expected `seed` of rank 0, got rank 1}}
  %y = accel.dropout %x, %s, %s probability 0.1 site 1 : tensor<4x8xf32>, tensor<4xi64>, tensor<4xi64>
  return
}

// -----

func.func @dropout_c2(%x: tensor<4x8xf32>, %s: tensor<4xi64>, %k: tensor<i64>) {
  // expected-error@below {{'accel.dropout' op expected `probability` to be at least 0 and less than 1, got 1.000000e+00}}
  %y = accel.dropout %x, %s, %k probability 1.0 site 1 : tensor<4x8xf32>, tensor<4xi64>, tensor<i64>
  return
}

// -----

func.func @dropout_c3(%x: tensor<4x8xf32>, %s: tensor<4xi64>, %k: tensor<i64>) {
  // expected-error@below {{'accel.dropout' op expected `probability` 0 with a `factor`, got 5.000000e-01}}
  %y = accel.dropout %x, %s, %k probability 0.5 factor uniform site 1 : tensor<4x8xf32>, tensor<4xi64>, tensor<i64>
  return
}

// -----

func.func @random_normal_c1(%k: tensor<i64>) {
  // expected-error@below {{'accel.random_normal' op expected `deviation` of 0 or more, got -1.000000e+00}}
  %y = accel.random_normal %k mean 0.0 deviation -1.0 site 1 : tensor<i64> -> tensor<4xf32>
  return
}

// -----

func.func @random_normal_c1_seed(%k: tensor<1xi64>) {
  // expected-error@below {{'accel.random_normal' op expected `seed` of rank 0, got rank 1}}
  %y = accel.random_normal %k mean 0.0 deviation 1.0 site 1 : tensor<1xi64> -> tensor<4xf32>
  return
}
