// RUN: accel-opt %s --accel-lower-warp-kernels | FileCheck %s

// A warp votes which rows of its slice have chosen its matrix, and takes 16 of them at a time. No matrix is copied.
plan.variant @compute_80 cuda tuned for "sm_80" needs ["compute_80", "ptx71"] lanes 128

// Sizes that are multiples of 64, in 16 bits: matrix instructions.
// CHECK-LABEL: func.func @narrow.code
// CHECK: scf.while
// CHECK: nvvm.vote.sync  ballot
// CHECK: math.cttz
// CHECK: nvvm.shfl.sync  idx
// CHECK: nvvm.mma.sync
// CHECK-NOT: math.fma
func.func private @narrow(%x: tensor<128x64xbf16>, %w: tensor<2x64x128xbf16>, %i: tensor<128xi64>) -> tensor<128x128xbf16> attributes {
    plan.kernel = {kind = "grouped", elements = 16384 : i64, rows = 128 : i64, columns = 128 : i64},
    plan.code = {compute_80 = #plan.code<8 tiles of 64 columns, threads 128>}} {
  %y = accel.grouped_matmul %x, %w, %i : tensor<128x64xbf16>, tensor<2x64x128xbf16>, tensor<128xi64> -> tensor<128x128xbf16>
  return %y : tensor<128x128xbf16>
}

// f32, and a sum of outer products, to which rows are added one after the other.
// CHECK-LABEL: func.func @outer.code
// CHECK: nvvm.vote.sync  ballot
// CHECK: math.fma
// CHECK-NOT: nvvm.mma.sync
func.func private @outer(%x: tensor<20x8xf32>, %y: tensor<20x100xf32>, %i: tensor<20xi64>) -> tensor<4x8x100xf32> attributes {
    plan.kernel = {kind = "grouped", elements = 3200 : i64, rows = 32 : i64, columns = 100 : i64},
    plan.code = {compute_80 = #plan.code<8 tiles of 64 columns, threads 128>}} {
  %g = accel.grouped_outer %x, %y, %i : tensor<20x8xf32>, tensor<20x100xf32>, tensor<20xi64> -> tensor<4x8x100xf32>
  return %g : tensor<4x8x100xf32>
}
