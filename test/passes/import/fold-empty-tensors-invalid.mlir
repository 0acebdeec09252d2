// RUN: accel-opt %s --accel-fold-empty-tensors --split-input-file --verify-diagnostics

// What makes a size 0 is at fault, not what is computed of it.
func.func @forward(%x: tensor<4x8xf32>) -> tensor<4x0xf32> {
  // expected-error@below {{expected a result with at least one element, got 'tensor<4x0xf32>'; give that dimension a size, or leave out what is computed of it}}
  %n = accel.slice %x [0, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<4x0xf32>
  %r = accel.relu %n : tensor<4x0xf32>
  return %r : tensor<4x0xf32>
}

// -----

// expected-error@below {{parameter 'table': expected at least one element, got 'tensor<0x8xf32>'; give its layer a size, or leave it out of the model}}
accel.parameter @table : tensor<0x8xf32> trainable
func.func @forward(%i: tensor<4xi64>) -> tensor<4x8xf32> {
  %t = accel.read @table : tensor<0x8xf32>
  %g = accel.gather %t, %i : tensor<0x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
