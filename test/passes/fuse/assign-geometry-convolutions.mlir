// Convolutions are calls of cuDNN, of where their tensors lie.
// RUN: accel-opt %s --accel-assign-geometry='target=compute_80' | FileCheck %s
// With tf32, those of f32 round what they multiply, and no others do.
// RUN: accel-opt %s --accel-assign-geometry='target=compute_80 tf32' | FileCheck %s --check-prefix=TF32

// The image is a part of what lies in memory, here without its first row; weights lie as (filters, windows, channels).
// CHECK-LABEL: func.func private @forward(
// CHECK-SAME: compute_80 = #plan.library_call<"cudnn" "cudnnBackendExecute" convolution <forward of 2 samples at [3, 2], windows [3, 3] strides [1, 2] dilations [2, 1], 4 channels to 5, image <0 from 20, strides [160, 20, 4, 1]>, weights <1, strides [36, 12, 4, 1]>, output <2, strides [30, 10, 5, 1]>>, workspace 33554432>
// TF32-LABEL: func.func private @forward(
// TF32-SAME: output <2, strides [30, 10, 5, 1]>, tf32>, workspace 33554432>
func.func private @forward(%x: tensor<2x8x5x4xf32>, %w: tensor<5x3x3x4xf32>) -> tensor<12x5xf32> attributes {plan.kernel = {kind = "product", elements = 60 : i64, rows = 12 : i64, columns = 5 : i64, block = 36 : i64}} {
  %0 = accel.slice %x [0, 1, 0, 0] strides [1, 1, 1, 1] : tensor<2x8x5x4xf32> -> tensor<2x7x5x4xf32>
  %1 = accel.windows %0 axes [1, 2] sizes [3, 3] strides [1, 2] dilations [2, 1] : tensor<2x7x5x4xf32> -> tensor<2x3x2x4x3x3xf32>
  %2 = accel.transpose %1 [0, 1, 2, 4, 5, 3] : tensor<2x3x2x4x3x3xf32> -> tensor<2x3x2x3x3x4xf32>
  %3 = accel.reshape %2 : tensor<2x3x2x3x3x4xf32> -> tensor<12x36xf32>
  %4 = accel.reshape %w : tensor<5x3x3x4xf32> -> tensor<5x36xf32>
  %5 = accel.matmul %3, %4 {transpose_rhs} : tensor<12x36xf32>, tensor<5x36xf32> -> tensor<12x5xf32>
  return %5 : tensor<12x5xf32>
}

// The gradient of the image is a convolution of the output's gradient with zeros around it: its weights lie as (windows, channels, filters).
// CHECK-LABEL: func.func private @input_gradient(
// CHECK-SAME: convolution <forward of 1 samples at [6], windows [2] strides [1] dilations [1], 3 channels to 4, image <0, strides [21, 3, 1]>, weights <1, strides [1, 12, 4]>, output <2, strides [24, 4, 1]>>, workspace 33554432>
func.func private @input_gradient(%g: tensor<1x7x3xf32>, %w: tensor<6x4xf32>) -> tensor<1x6x4xf32> attributes {plan.kernel = {kind = "product", elements = 24 : i64, rows = 6 : i64, columns = 4 : i64, block = 6 : i64}} {
  %0 = accel.windows %g axes [1] sizes [2] strides [1] dilations [1] : tensor<1x7x3xf32> -> tensor<1x6x3x2xf32>
  %1 = accel.transpose %0 [0, 1, 3, 2] : tensor<1x6x3x2xf32> -> tensor<1x6x2x3xf32>
  %2 = accel.reshape %1 : tensor<1x6x2x3xf32> -> tensor<6x6xf32>
  %3 = accel.matmul %2, %w as input_gradient : tensor<6x6xf32>, tensor<6x4xf32> -> tensor<6x4xf32>
  %4 = accel.reshape %3 : tensor<6x4xf32> -> tensor<1x6x4xf32>
  return %4 : tensor<1x6x4xf32>
}

// The gradient of weights, rounded to what the call reads.
// CHECK-LABEL: func.func private @weight_gradient(
// CHECK-SAME: convolution <weight_gradient of 2 samples at [2, 3, 4], windows [1, 2, 2] strides [1, 1, 1] dilations [1, 1, 1], 8 channels to 16, image <1, strides [320, 160, 40, 8, 1]>, weights <2, strides [32, 32, 16, 8, 1]>, output <0, strides [384, 192, 64, 16, 1]>>, workspace 33554432>
// TF32-LABEL: func.func private @weight_gradient(
// TF32-NOT: tf32
// TF32: return
func.func private @weight_gradient(%g: tensor<48x16xbf16>, %x: tensor<2x2x4x5x8xbf16>) -> tensor<16x32xbf16> attributes {plan.kernel = {kind = "product", elements = 512 : i64, rows = 16 : i64, columns = 32 : i64, block = 48 : i64}} {
  %0 = accel.windows %x axes [1, 2, 3] sizes [1, 2, 2] strides [1, 1, 1] dilations [1, 1, 1] : tensor<2x2x4x5x8xbf16> -> tensor<2x2x3x4x8x1x2x2xbf16>
  %1 = accel.transpose %0 [0, 1, 2, 3, 5, 6, 7, 4] : tensor<2x2x3x4x8x1x2x2xbf16> -> tensor<2x2x3x4x1x2x2x8xbf16>
  %2 = accel.reshape %1 : tensor<2x2x3x4x1x2x2x8xbf16> -> tensor<48x32xbf16>
  %3 = accel.matmul %g, %2 as weight_gradient {transpose_lhs} : tensor<48x16xbf16>, tensor<48x32xbf16> -> tensor<16x32xf32>
  %4 = accel.cast %3 : tensor<16x32xf32> -> tensor<16x32xbf16>
  return %4 : tensor<16x32xbf16>
}

// A window of one element that leaves some out is a convolution; without, it is a matrix, and the product one of cuBLASLt.
// CHECK-LABEL: func.func private @strided(
// CHECK-SAME: convolution <forward of 1 samples at [3], windows [1] strides [2] dilations [1], 4 channels to 2, image <0, strides [20, 4, 1]>
func.func private @strided(%x: tensor<1x5x4xf32>, %w: tensor<2x4xf32>) -> tensor<3x2xf32> attributes {plan.kernel = {kind = "product", elements = 6 : i64, rows = 3 : i64, columns = 2 : i64, block = 4 : i64}} {
  %0 = accel.windows %x axes [1] sizes [1] strides [2] dilations [1] : tensor<1x5x4xf32> -> tensor<1x3x4x1xf32>
  %1 = accel.reshape %0 : tensor<1x3x4x1xf32> -> tensor<3x4xf32>
  %2 = accel.matmul %1, %w {transpose_rhs} : tensor<3x4xf32>, tensor<2x4xf32> -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @matrix(
// CHECK-SAME: #plan.library_call<"cublasLt" "cublasLtMatmul" product <1 of 5x2 over 4, lhs 0, rhs 1 transposed>
func.func private @matrix(%x: tensor<1x5x4xf32>, %w: tensor<2x4xf32>) -> tensor<5x2xf32> attributes {plan.kernel = {kind = "product", elements = 10 : i64, rows = 5 : i64, columns = 2 : i64, block = 4 : i64}} {
  %0 = accel.windows %x axes [1] sizes [1] strides [1] dilations [1] : tensor<1x5x4xf32> -> tensor<1x5x4x1xf32>
  %1 = accel.reshape %0 : tensor<1x5x4x1xf32> -> tensor<5x4xf32>
  %2 = accel.matmul %1, %w {transpose_rhs} : tensor<5x4xf32>, tensor<2x4xf32> -> tensor<5x2xf32>
  return %2 : tensor<5x2xf32>
}

// Weights may lie as (filters, channels, windows), as those of a transposed convolution do, and so may their gradient.
// CHECK-LABEL: func.func private @channels_first(
// CHECK-SAME: convolution <weight_gradient of 1 samples at [2, 2], windows [2, 3] strides [2, 1] dilations [1, 1], 4 channels to 5, image <1, strides [64, 16, 4, 1]>, weights <2, strides [24, 3, 1, 6]>, output <0, strides [20, 10, 5, 1]>>
func.func private @channels_first(%g: tensor<4x5xf32>, %x: tensor<1x4x4x4xf32>) -> tensor<5x24xf32> attributes {plan.kernel = {kind = "product", elements = 120 : i64, rows = 5 : i64, columns = 24 : i64, block = 16 : i64}} {
  %0 = accel.windows %x axes [1, 2] sizes [2, 3] strides [2, 1] dilations [1, 1] : tensor<1x4x4x4xf32> -> tensor<1x2x2x4x2x3xf32>
  %1 = accel.reshape %0 : tensor<1x2x2x4x2x3xf32> -> tensor<4x24xf32>
  %2 = accel.matmul %g, %1 as weight_gradient {transpose_lhs} : tensor<4x5xf32>, tensor<4x24xf32> -> tensor<5x24xf32>
  return %2 : tensor<5x24xf32>
}

// Nor is a part of an image a matrix, although each element is a window.
// CHECK-LABEL: func.func private @part(
// CHECK-SAME: convolution <forward of 2 samples at [3], windows [1] strides [1] dilations [1], 4 channels to 2, image <0 from 4, strides [20, 4, 1]>
func.func private @part(%x: tensor<2x5x4xf32>, %w: tensor<2x4xf32>) -> tensor<6x2xf32> attributes {plan.kernel = {kind = "product", elements = 12 : i64, rows = 6 : i64, columns = 2 : i64, block = 4 : i64}} {
  %0 = accel.slice %x [0, 1, 0] strides [1, 1, 1] : tensor<2x5x4xf32> -> tensor<2x3x4xf32>
  %1 = accel.windows %0 axes [1] sizes [1] strides [1] dilations [1] : tensor<2x3x4xf32> -> tensor<2x3x4x1xf32>
  %2 = accel.reshape %1 : tensor<2x3x4x1xf32> -> tensor<6x4xf32>
  %3 = accel.matmul %2, %w {transpose_rhs} : tensor<6x4xf32>, tensor<2x4xf32> -> tensor<6x2xf32>
  return %3 : tensor<6x2xf32>
}

// A large convolution may want room for its tensors in another order: a workspace of theirs, channels in eights, and a mebibyte.
// CHECK-LABEL: func.func private @large(
// CHECK-SAME: workspace 135793920>
func.func private @large(%x: tensor<8x514x514x3xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<2097152x8xf32> attributes {plan.kernel = {kind = "product", elements = 16777216 : i64, rows = 2097152 : i64, columns = 8 : i64, block = 27 : i64}} {
  %0 = accel.windows %x axes [1, 2] sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<8x514x514x3xf32> -> tensor<8x512x512x3x3x3xf32>
  %1 = accel.transpose %0 [0, 1, 2, 4, 5, 3] : tensor<8x512x512x3x3x3xf32> -> tensor<8x512x512x3x3x3xf32>
  %2 = accel.reshape %1 : tensor<8x512x512x3x3x3xf32> -> tensor<2097152x27xf32>
  %3 = accel.reshape %w : tensor<8x3x3x3xf32> -> tensor<8x27xf32>
  %4 = accel.matmul %2, %3 {transpose_rhs} : tensor<2097152x27xf32>, tensor<8x27xf32> -> tensor<2097152x8xf32>
  return %4 : tensor<2097152x8xf32>
}
