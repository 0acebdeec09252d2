// RUN: accel-opt %s --accel-split-sums=target=compute_80 | FileCheck %s
// RUN: accel-opt %s --accel-split-sums | FileCheck %s --check-prefix=CPU
// What it computes stays.
// RUN: accel-opt %s --run=long > %t.whole && accel-opt %s --accel-split-sums=target=compute_80 --run=long > %t.parts && diff %t.whole %t.parts

// CPUs have enough columns.
// CPU-NOT: accel.reshape

// 2048 warps want 512 parts, 256 of which have the shortest length; these are cut again.
// CHECK-LABEL: func @long
// CHECK: %[[CUT:.+]] = accel.reshape %{{.+}} : tensor<16384x512xf32> -> tensor<64x131072xf32>
// CHECK: %[[PARTS:.+]] = accel.reduce_sum %[[CUT]] [0] : tensor<64x131072xf32> -> tensor<131072xf32>
// CHECK: %[[AGAIN:.+]] = accel.reshape %[[PARTS]] : tensor<131072xf32> -> tensor<64x2048xf32>
// CHECK: %[[FEWER:.+]] = accel.reduce_sum %[[AGAIN]] [0] : tensor<64x2048xf32> -> tensor<2048xf32>
// CHECK: %[[ROWS:.+]] = accel.reshape %[[FEWER]] : tensor<2048xf32> -> tensor<4x512xf32>
// CHECK: %[[SUM:.+]] = accel.reduce_sum %[[ROWS]] [0] : tensor<4x512xf32> -> tensor<512xf32>
// CHECK: return %[[SUM]]
func.func @long(%x: tensor<16384x512xf32>) -> tensor<512xf32> {
  %0 = accel.reduce_sum %x [0] : tensor<16384x512xf32> -> tensor<512xf32>
  return %0 : tensor<512xf32>
}

// Two dimensions are rows, too; the result has two as well.
// CHECK-LABEL: func @leading
// CHECK: accel.reshape %{{.+}} : tensor<8x32x4x128xf32> -> tensor<64x2048xf32>
// CHECK: accel.reduce_sum %{{.+}} [0] : tensor<4x512xf32> -> tensor<512xf32>
// CHECK: accel.reshape %{{.+}} : tensor<512xf32> -> tensor<4x128xf32>
func.func @leading(%x: tensor<8x32x4x128xf32>) -> tensor<4x128xf32> {
  %0 = accel.reduce_sum %x [0, 1] : tensor<8x32x4x128xf32> -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// Few rows, many columns, a prime number of rows, and sums of rows stay.
// CHECK-LABEL: func @short
// CHECK-NOT: accel.reshape
// CHECK: return
func.func @short(%few: tensor<64x512xf32>, %wide: tensor<512x262144xf32>, %prime: tensor<16381x512xf32>, %rows: tensor<16384x512xf32>)
    -> (tensor<512xf32>, tensor<262144xf32>, tensor<512xf32>, tensor<16384xf32>) {
  %0 = accel.reduce_sum %few [0] : tensor<64x512xf32> -> tensor<512xf32>
  %1 = accel.reduce_sum %wide [0] : tensor<512x262144xf32> -> tensor<262144xf32>
  %2 = accel.reduce_sum %prime [0] : tensor<16381x512xf32> -> tensor<512xf32>
  %3 = accel.reduce_sum %rows [1] : tensor<16384x512xf32> -> tensor<16384xf32>
  return %0, %1, %2, %3 : tensor<512xf32>, tensor<262144xf32>, tensor<512xf32>, tensor<16384xf32>
}
