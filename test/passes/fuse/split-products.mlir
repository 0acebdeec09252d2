// RUN: accel-opt %s --accel-split-products | FileCheck %s
// RUN: accel-opt %s --accel-split-products=target=compute_80 | FileCheck %s --check-prefix=GPU
// What it computes stays.
// RUN: accel-opt %s --run=deep > %t.whole && accel-opt %s --accel-split-products --run=deep > %t.parts && diff %t.whole %t.parts

// Libraries cut products by themselves.
// GPU-NOT: accel.reduce_sum

// Two tiles of 32 columns: eight parts make sixteen.
// CHECK-LABEL: func @deep
// CHECK-DAG: %[[A:.+]] = accel.reshape %{{.+}} : tensor<16384x64xf32> -> tensor<8x2048x64xf32>
// CHECK-DAG: %[[B:.+]] = accel.reshape %{{.+}} : tensor<16384x48xf32> -> tensor<8x2048x48xf32>
// CHECK: %[[PARTS:.+]] = accel.matmul %[[A]], %[[B]] {transpose_lhs} : tensor<8x2048x64xf32>, tensor<8x2048x48xf32> -> tensor<8x64x48xf32>
// CHECK: %[[SUM:.+]] = accel.reduce_sum %[[PARTS]] [0] : tensor<8x64x48xf32> -> tensor<64x48xf32>
// CHECK: return %[[SUM]]
func.func @deep(%x: tensor<16384x64xf32>, %g: tensor<16384x48xf32>) -> tensor<64x48xf32> {
  %0 = accel.matmul %x, %g {transpose_lhs} : tensor<16384x64xf32>, tensor<16384x48xf32> -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// Products of rounded operands are summed in f32, part by part.
// CHECK-LABEL: func @rounded
// CHECK: accel.matmul %{{.+}}, %{{.+}} as weight_gradient {accel.precision_reason = "why", transpose_lhs} : tensor<8x2048x64xbf16>, tensor<8x2048x48xbf16> -> tensor<8x64x48xf32>
// CHECK: accel.reduce_sum %{{.+}} [0] : tensor<8x64x48xf32> -> tensor<64x48xf32>
func.func @rounded(%x: tensor<16384x64xbf16>, %g: tensor<16384x48xbf16>) -> tensor<64x48xf32> {
  %0 = accel.matmul %x, %g as weight_gradient {accel.precision_reason = "why", transpose_lhs} : tensor<16384x64xbf16>, tensor<16384x48xbf16> -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// Parts have 1,024 rows at least, and are equal.
// CHECK-LABEL: func @short
// CHECK: tensor<2x1024x64xf32>, tensor<2x1024x64xf32> -> tensor<2x64x64xf32>
// CHECK: accel.matmul %{{.+}} : tensor<5001x64xf32>, tensor<5001x64xf32> -> tensor<64x64xf32>
func.func @short(%x: tensor<2048x64xf32>, %odd: tensor<5001x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = accel.matmul %x, %x {transpose_lhs} : tensor<2048x64xf32>, tensor<2048x64xf32> -> tensor<64x64xf32>
  %1 = accel.matmul %odd, %odd {transpose_lhs} : tensor<5001x64xf32>, tensor<5001x64xf32> -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// Enough tiles, another summed index, and several matrices stay.
// CHECK-LABEL: func @other
// CHECK-NOT: accel.reshape
// CHECK: return
func.func @other(%wide: tensor<8192x512xf32>, %x: tensor<64x8192xf32>, %many: tensor<4x8192x64xf32>)
    -> (tensor<512x512xf32>, tensor<64x64xf32>, tensor<4x64x64xf32>) {
  %0 = accel.matmul %wide, %wide {transpose_lhs} : tensor<8192x512xf32>, tensor<8192x512xf32> -> tensor<512x512xf32>
  %1 = accel.matmul %x, %x {transpose_rhs} : tensor<64x8192xf32>, tensor<64x8192xf32> -> tensor<64x64xf32>
  %2 = accel.matmul %many, %many {transpose_lhs} : tensor<4x8192x64xf32>, tensor<4x8192x64xf32> -> tensor<4x64x64xf32>
  return %0, %1, %2 : tensor<512x512xf32>, tensor<64x64xf32>, tensor<4x64x64xf32>
}
