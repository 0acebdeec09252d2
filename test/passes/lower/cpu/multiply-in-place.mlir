// RUN: accel-opt %s --accel-assign-geometry --accel-lower-kernels --split-input-file | FileCheck %s

// Of a weight's gradient both operands lie as they are read: nothing is packed, and sixty-four rows are four behind whole blocks of twelve.
// CHECK-LABEL: func.func @gradient.code(
// CHECK-NOT:     call @product.pack
// CHECK:         call @product.multiply_lhs_columns_rhs_rows_ahead_last_rows_4(
// CHECK-NOT:     call @product.pack
// CHECK:         return
func.func @gradient(%y: tensor<1024x64xf32>, %x: tensor<1024x64xf32>) -> tensor<64x64xf32> attributes {
    plan.kernel = {kind = "product", block = 256 : i64, elements = 4096 : i64, rows = 64 : i64, columns = 64 : i64}} {
  %c = accel.matmul %y, %x {transpose_lhs} : tensor<1024x64xf32>, tensor<1024x64xf32> -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// -----

// Rows of the left matrix lie as far apart as its columns are: that is part of the routine, and of its name. The right one is transposed, so it is packed.
// CHECK-LABEL: func.func @forward.code(
// CHECK:         call @product.pack_rhs_columns(
// CHECK-NOT:     call @product.pack
// CHECK:         call @product.multiply_lhs_rows_of_64(
// CHECK-NOT:     call @product.pack
// CHECK:         return
func.func @forward(%x: tensor<96x64xf32>, %w: tensor<64x64xf32>) -> tensor<96x64xf32> attributes {
    plan.kernel = {kind = "product", block = 64 : i64, elements = 6144 : i64, rows = 96 : i64, columns = 64 : i64}} {
  %c = accel.matmul %x, %w {transpose_rhs} : tensor<96x64xf32>, tensor<64x64xf32> -> tensor<96x64xf32>
  return %c : tensor<96x64xf32>
}

// -----

// Windows are summed place by place along rows of sixteen; such code is no routine.
// CHECK-LABEL: func.func @windows.code(
// CHECK-NOT:     call @product
// CHECK:         math.fma
// CHECK-NOT:     call @product
// CHECK:         return
func.func @windows(%y: tensor<256x48xf32>, %x: tensor<1x18x18x32xf32>) -> tensor<48x288xf32> attributes {
    plan.kernel = {kind = "product", block = 256 : i64, elements = 13824 : i64, rows = 48 : i64, columns = 288 : i64}} {
  %v = accel.windows %x axes [1, 2] sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x18x18x32xf32> -> tensor<1x16x16x32x3x3xf32>
  %t = accel.transpose %v [0, 1, 2, 4, 5, 3] : tensor<1x16x16x32x3x3xf32> -> tensor<1x16x16x3x3x32xf32>
  %m = accel.reshape %t : tensor<1x16x16x3x3x32xf32> -> tensor<256x288xf32>
  %c = accel.matmul %y, %m {transpose_lhs} : tensor<256x48xf32>, tensor<256x288xf32> -> tensor<48x288xf32>
  return %c : tensor<48x288xf32>
}

// -----

// Rows of 513 numbers are packed, and so are 33 columns, one of which is no whole panel.
// CHECK-LABEL: func.func @long.code(
// CHECK:         call @product.pack_rhs_rows(
// CHECK:         call @product.pack_lhs_rows(
// CHECK:         call @product.multiply_last_columns(
func.func @long(%x: tensor<96x513xf32>, %w: tensor<513x33xf32>) -> tensor<96x33xf32> attributes {
    plan.kernel = {kind = "product", block = 176 : i64, elements = 3168 : i64, rows = 96 : i64, columns = 33 : i64}} {
  %c = accel.matmul %x, %w : tensor<96x513xf32>, tensor<513x33xf32> -> tensor<96x33xf32>
  return %c : tensor<96x33xf32>
}
