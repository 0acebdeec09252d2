// RUN: accel-opt %s --accel-assign-geometry --split-input-file | FileCheck %s

// A tile is 64 columns of what one matrix makes, of all rows that have chosen it: it lists those in its workspace, and packs
// 256 rows of the columns behind the list.
// CHECK: @grouped
// CHECK-SAME: {"x86-64-v3" = #plan.code<8 tiles of 64 columns, grain 8, workspace 65664, vectors 1>, "x86-64-v4" = #plan.code<8 tiles of 64 columns, grain 8, workspace 65664, vectors 2>}
func.func private @grouped(%x: tensor<20x8xf32>, %w: tensor<4x8x100xf32>, %i: tensor<20xi64>) -> tensor<20x100xf32> attributes {
    plan.kernel = {kind = "grouped", elements = 2000 : i64, rows = 20 : i64, columns = 100 : i64}} {
  %y = accel.grouped_matmul %x, %w, %i : tensor<20x8xf32>, tensor<4x8x100xf32>, tensor<20xi64> -> tensor<20x100xf32>
  return %y : tensor<20x100xf32>
}

// Sums of outer products have room for parts of both sides.
// CHECK: @outer
// CHECK-SAME: #plan.code<8 tiles of 64 columns, grain 8, workspace 82048, vectors 1>
func.func private @outer(%x: tensor<20x8xf32>, %y: tensor<20x100xf32>, %i: tensor<20xi64>) -> tensor<4x8x100xf32> attributes {
    plan.kernel = {kind = "grouped", elements = 3200 : i64, rows = 32 : i64, columns = 100 : i64}} {
  %g = accel.grouped_outer %x, %y, %i : tensor<20x8xf32>, tensor<20x100xf32>, tensor<20xi64> -> tensor<4x8x100xf32>
  return %g : tensor<4x8x100xf32>
}

// -----

// Rows of 16 bits are packed, eight at a time, and sums are kept until they are rounded. A CPU that multiplies pairs of bf16 does so here.
// CHECK: @narrow
// CHECK-SAME: plan.code = {"x86-64-v3" = #plan.code<8 tiles of 64 columns, grain 8, workspace 78976, vectors 1>,
// CHECK-SAME: "x86-64-v4-bf16" = #plan.code<8 tiles of 64 columns, grain 8, workspace 78976, vectors 2, dots 2>
// CHECK-SAME: plan.flushes_subnormals
func.func private @narrow(%x: tensor<20x8xbf16>, %w: tensor<4x8x100xbf16>, %i: tensor<20xi64>) -> tensor<20x100xbf16> attributes {
    plan.kernel = {kind = "grouped", elements = 2000 : i64, rows = 20 : i64, columns = 100 : i64}} {
  %y = accel.grouped_matmul %x, %w, %i : tensor<20x8xbf16>, tensor<4x8x100xbf16>, tensor<20xi64> -> tensor<20x100xbf16>
  return %y : tensor<20x100xbf16>
}
