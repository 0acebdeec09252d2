// RUN: accel-opt %s --accel-assign-geometry=target=compute_80 --split-input-file --verify-diagnostics

// Columns of a matrix are no neighbours in memory.
// expected-error@+1 {{expected one product of operands that lie in one piece each, which is all that cuBLASLt computes}}
func.func private @columns(%x: tensor<4x16xf32>, %w: tensor<8x5xf32>) -> tensor<4x5xf32> attributes {plan.kernel = {kind = "product", elements = 20 : i64, rows = 4 : i64, columns = 5 : i64, block = 8 : i64}} {
  %0:2 = accel.split %x axis 1 : tensor<4x16xf32> -> tensor<4x8xf32>, tensor<4x8xf32>
  %1 = accel.matmul %0#1, %w : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// -----

// expected-error@+1 {{expected one product of operands that lie in one piece each, which is all that cuBLASLt computes}}
func.func private @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>) -> tensor<4x5xf32> attributes {plan.kernel = {kind = "product", elements = 20 : i64, rows = 4 : i64, columns = 5 : i64, block = 8 : i64}} {
  %0 = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  %1 = accel.neg %0 : tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// -----

// Only floats of 8 bits have scales.
// expected-error@+1 {{expected one product of operands that lie in one piece each, which is all that cuBLASLt computes}}
func.func private @scaled(%x: tensor<16x16xbf16>, %w: tensor<16x16xbf16>, %s: tensor<f32>) -> tensor<16x16xf32> attributes {plan.kernel = {kind = "product", elements = 256 : i64, rows = 16 : i64, columns = 16 : i64, block = 16 : i64}} {
  %0 = accel.matmul %x, %w : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
  %1 = accel.broadcast %s [] : tensor<f32> -> tensor<16x16xf32>
  %2 = accel.mul %0, %1 : tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}

// -----

// cuDNN stores convolutions, and computes nothing of them.
// expected-error@+1 {{expected one convolution whose image and other operand lie in what the kernel reads, stored in their type, which is all that cuDNN computes}}
func.func private @convolution(%x: tensor<1x5x2xf32>, %w: tensor<4x6xf32>) -> tensor<3x4xf32> attributes {plan.kernel = {kind = "product", elements = 12 : i64, rows = 3 : i64, columns = 4 : i64, block = 6 : i64}} {
  %0 = accel.windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<1x5x2xf32> -> tensor<1x3x2x3xf32>
  %1 = accel.transpose %0 [0, 1, 3, 2] : tensor<1x3x2x3xf32> -> tensor<1x3x3x2xf32>
  %2 = accel.reshape %1 : tensor<1x3x3x2xf32> -> tensor<3x6xf32>
  %3 = accel.matmul %2, %w {transpose_rhs} : tensor<3x6xf32>, tensor<4x6xf32> -> tensor<3x4xf32>
  %4 = accel.relu %3 : tensor<3x4xf32>
  return %4 : tensor<3x4xf32>
}

// -----

// Nor does it store f32 of 16 bits.
// expected-error@+1 {{expected one convolution whose image and other operand lie in what the kernel reads}}
func.func private @wide(%x: tensor<1x5x2xbf16>, %w: tensor<4x6xbf16>) -> tensor<3x4xf32> attributes {plan.kernel = {kind = "product", elements = 12 : i64, rows = 3 : i64, columns = 4 : i64, block = 6 : i64}} {
  %0 = accel.windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<1x5x2xbf16> -> tensor<1x3x2x3xbf16>
  %1 = accel.transpose %0 [0, 1, 3, 2] : tensor<1x3x2x3xbf16> -> tensor<1x3x3x2xbf16>
  %2 = accel.reshape %1 : tensor<1x3x3x2xbf16> -> tensor<3x6xbf16>
  %3 = accel.matmul %2, %w {transpose_rhs} : tensor<3x6xbf16>, tensor<4x6xbf16> -> tensor<3x4xf32>
  return %3 : tensor<3x4xf32>
}
