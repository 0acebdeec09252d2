// RUN: accel-opt %s --accel-narrow-convolutions=target=sm_90 --canonicalize -split-input-file | FileCheck %s --check-prefixes=CHECK,GPU
// A plan for both is one program.
// RUN: accel-opt %s --accel-narrow-convolutions=target=sm_90,cpu --canonicalize -split-input-file | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: accel-opt %s --accel-narrow-convolutions --canonicalize -split-input-file | FileCheck %s --check-prefixes=CHECK,CPU

// The image is rounded in front of the zeros around it, once for both products; the gradient of weights is rounded for cuDNN.
// CHECK-LABEL: func @both
// CHECK-SAME: (%[[X:.+]]: tensor<2x3x4xf32>, %[[W:.+]]: tensor<8x12xbf16>, %[[G:.+]]: tensor<6x8xbf16>)
// CHECK: %[[LOW:.+]] = accel.cast %[[X]] : tensor<2x3x4xf32> -> tensor<2x3x4xbf16>
// CHECK: %[[PADDED:.+]] = accel.pad %[[LOW]] [0, 1, 0] strides [1, 1, 1] : tensor<2x3x4xbf16> -> tensor<2x5x4xbf16>
// CHECK: %[[WINDOWS:.+]] = accel.windows %[[PADDED]] axes [1] sizes [3] strides [1] dilations [1] : tensor<2x5x4xbf16> -> tensor<2x3x4x3xbf16>
// CHECK: %[[TURNED:.+]] = accel.transpose %[[WINDOWS]] [0, 1, 3, 2]
// CHECK: %[[MATRIX:.+]] = accel.reshape %[[TURNED]] : tensor<2x3x3x4xbf16> -> tensor<6x12xbf16>
// CHECK-NOT: accel.windows
// CHECK: accel.matmul %[[MATRIX]], %[[W]] {transpose_rhs}
// CHECK: %[[SUMS:.+]] = accel.matmul %[[G]], %[[MATRIX]] as weight_gradient {transpose_lhs}
// GPU: %[[ROUNDED:.+]] = accel.cast %[[SUMS]] : tensor<8x12xf32> -> tensor<8x12xbf16>
// GPU: %[[WIDE:.+]] = accel.cast %[[ROUNDED]] : tensor<8x12xbf16> -> tensor<8x12xf32>
// GPU: return %{{.+}}, %[[WIDE]]
// CPU-NEXT: return %{{.+}}, %[[SUMS]]
func.func @both(%x: tensor<2x3x4xf32>, %w: tensor<8x12xbf16>, %g: tensor<6x8xbf16>) -> (tensor<6x8xbf16>, tensor<8x12xf32>) {
  %0 = accel.pad %x [0, 1, 0] strides [1, 1, 1] : tensor<2x3x4xf32> -> tensor<2x5x4xf32>
  %1 = accel.windows %0 axes [1] sizes [3] strides [1] dilations [1] : tensor<2x5x4xf32> -> tensor<2x3x4x3xf32>
  %2 = accel.transpose %1 [0, 1, 3, 2] : tensor<2x3x4x3xf32> -> tensor<2x3x3x4xf32>
  %3 = accel.reshape %2 : tensor<2x3x3x4xf32> -> tensor<6x12xf32>
  %4 = accel.cast %3 : tensor<6x12xf32> -> tensor<6x12xbf16>
  %5 = accel.matmul %4, %w {transpose_rhs} : tensor<6x12xbf16>, tensor<8x12xbf16> -> tensor<6x8xf32>
  %6 = accel.cast %5 : tensor<6x8xf32> -> tensor<6x8xbf16>
  %7 = accel.matmul %g, %4 as weight_gradient {transpose_lhs} : tensor<6x8xbf16>, tensor<6x12xbf16> -> tensor<8x12xf32>
  return %6, %7 : tensor<6x8xbf16>, tensor<8x12xf32>
}

// -----

// What was rounded already is read as it lies.
// CHECK-LABEL: func @rounded
// CHECK-SAME: (%[[X:.+]]: tensor<1x5x2xf16>
// CHECK: accel.windows %[[X]] axes [1] sizes [2] strides [1] dilations [1] : tensor<1x5x2xf16>
func.func @rounded(%x: tensor<1x5x2xf16>, %w: tensor<3x4xf16>) -> tensor<4x3xf16> {
  %0 = accel.cast %x : tensor<1x5x2xf16> -> tensor<1x5x2xf32>
  %1 = accel.windows %0 axes [1] sizes [2] strides [1] dilations [1] : tensor<1x5x2xf32> -> tensor<1x4x2x2xf32>
  %2 = accel.transpose %1 [0, 1, 3, 2] : tensor<1x4x2x2xf32> -> tensor<1x4x2x2xf32>
  %3 = accel.reshape %2 : tensor<1x4x2x2xf32> -> tensor<4x4xf32>
  %4 = accel.cast %3 : tensor<4x4xf32> -> tensor<4x4xf16>
  %5 = accel.matmul %4, %w {transpose_rhs} : tensor<4x4xf16>, tensor<3x4xf16> -> tensor<4x3xf32>
  %6 = accel.cast %5 : tensor<4x3xf32> -> tensor<4x3xf16>
  return %6 : tensor<4x3xf16>
}

// Groups of channels are no convolution of cuDNN, so their sums stay; products of anything else stay as they are.
// CHECK-LABEL: func @others
// CHECK: %[[LOW:.+]] = accel.cast %{{.+}} : tensor<1x4x4xf32> -> tensor<1x4x4xbf16>
// CHECK: accel.windows %[[LOW]] axes [1] sizes [2] strides [1] dilations [1] : tensor<1x4x4xbf16>
// CHECK: %[[GROUPS:.+]] = accel.matmul
// CHECK: %[[PLAIN:.+]] = accel.matmul
// CHECK-NEXT: return %[[GROUPS]], %[[PLAIN]]
func.func @others(%x: tensor<1x4x4xf32>, %g: tensor<2x3x5xbf16>, %y: tensor<6x4xbf16>, %h: tensor<6x8xbf16>) -> (tensor<2x5x4xf32>, tensor<8x4xf32>) {
  %0 = accel.windows %x axes [1] sizes [2] strides [1] dilations [1] : tensor<1x4x4xf32> -> tensor<1x3x4x2xf32>
  %1 = accel.reshape %0 : tensor<1x3x4x2xf32> -> tensor<1x3x2x2x2xf32>
  %2 = accel.transpose %1 [2, 0, 1, 4, 3] : tensor<1x3x2x2x2xf32> -> tensor<2x1x3x2x2xf32>
  %3 = accel.reshape %2 : tensor<2x1x3x2x2xf32> -> tensor<2x3x4xf32>
  %4 = accel.cast %3 : tensor<2x3x4xf32> -> tensor<2x3x4xbf16>
  %5 = accel.matmul %g, %4 as weight_gradient {transpose_lhs} : tensor<2x3x5xbf16>, tensor<2x3x4xbf16> -> tensor<2x5x4xf32>
  %6 = accel.matmul %h, %y as weight_gradient {transpose_lhs} : tensor<6x8xbf16>, tensor<6x4xbf16> -> tensor<8x4xf32>
  return %5, %6 : tensor<2x5x4xf32>, tensor<8x4xf32>
}
