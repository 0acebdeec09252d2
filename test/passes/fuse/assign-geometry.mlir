// RUN: accel-opt %s --accel-assign-geometry | FileCheck %s
// A plan for one variant knows no other.
// RUN: accel-opt %s --accel-assign-geometry=target=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: not accel-opt %s --accel-assign-geometry=target=sm_70 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not accel-opt %s --accel-assign-geometry=target=cpu,x86-64-v3 2>&1 | FileCheck %s --check-prefix=TWICE
// ABSENT: target: expected cpu, or a list of sm_120, compute_120, sm_100, compute_100, sm_90, compute_90, sm_89, compute_89, sm_80, compute_80, x86-64-v4-bf16, x86-64-v4, x86-64-v3, got 'sm_70'
// TWICE: target: expected each variant once, got 'x86-64-v3' twice in 'cpu,x86-64-v3'

// The variants of the target, the best first.
// CHECK: plan.variant @"x86-64-v4" cpu tuned for "x86-64-v4" needs [{{.*}}"avx512f"{{.*}}] lanes 64
// CHECK: plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx", "avx2",{{.*}}] lanes 64
// V3-NOT: x86-64-v4
// V3: plan.variant @"x86-64-v3"
// V3-NOT: x86-64-v4

// Little work stays with one thread.
// CHECK: @small
// CHECK-SAME: plan.code = {"x86-64-v3" = #plan.code<2 tiles of 128 elements, grain 2>, "x86-64-v4" = #plan.code<2 tiles of 128 elements, grain 2>}
func.func private @small(%x: tensor<256xf32>) -> tensor<256xf32> attributes {
    plan.kernel = {kind = "flat", elements = 256 : i64, rows = 1 : i64, columns = 256 : i64}} {
  %y = accel.neg %x : tensor<256xf32>
  return %y : tensor<256xf32>
}

// CHECK: @rows
// CHECK-SAME: #plan.code<512 tiles of 1 rows>
func.func private @rows(%x: tensor<512x128xf32>) -> tensor<512xf32> attributes {
    plan.kernel = {kind = "rows", elements = 65536 : i64, rows = 512 : i64, columns = 128 : i64}} {
  %y = accel.reduce_sum %x [1] : tensor<512x128xf32> -> tensor<512xf32>
  return %y : tensor<512xf32>
}

// Of few columns, tiles are so narrow that several threads have some.
// CHECK: @columns
// CHECK-SAME: #plan.code<8 tiles of 16 columns>
func.func private @columns(%x: tensor<512x128xf32>) -> tensor<128xf32> attributes {
    plan.kernel = {kind = "columns", elements = 65536 : i64, rows = 512 : i64, columns = 128 : i64}} {
  %y = accel.reduce_sum %x [0] : tensor<512x128xf32> -> tensor<128xf32>
  return %y : tensor<128xf32>
}

// CHECK: @many_columns
// CHECK-SAME: #plan.code<16 tiles of 64 columns>
func.func private @many_columns(%x: tensor<64x1024xf32>) -> tensor<1024xf32> attributes {
    plan.kernel = {kind = "columns", elements = 65536 : i64, rows = 64 : i64, columns = 1024 : i64}} {
  %y = accel.reduce_sum %x [0] : tensor<64x1024xf32> -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// A copy that transposes: tiles of 16 rows of the result, the last one of 4, of each of 64 matrices.
// CHECK: @transposed
// CHECK-SAME: #plan.code<192 tiles of 144 elements>
func.func private @transposed(%x: tensor<64x9x36xf32>) -> tensor<64x36x9xf32> attributes {
    plan.kernel = {kind = "rows", elements = 20736 : i64, rows = 20736 : i64, columns = 1 : i64}} {
  %t = accel.transpose %x [0, 2, 1] : tensor<64x9x36xf32> -> tensor<64x36x9xf32>
  %y = accel.reshape %t : tensor<64x36x9xf32> -> tensor<64x36x9xf32>
  return %y : tensor<64x36x9xf32>
}

// The register blocks of the variants differ, and nothing else does.
// CHECK: @wide
// CHECK-SAME: plan.code = {"x86-64-v3" = #plan.code<4 tiles of 32 columns, workspace [[WIDE:[0-9]+]], vectors 1, packed 128>, "x86-64-v4" = #plan.code<4 tiles of 32 columns, workspace [[WIDE]], vectors 2, packed 128>}
func.func private @wide(%a: tensor<64x64xf32>, %b: tensor<64x128xf32>) -> tensor<64x128xf32> attributes {
    plan.kernel = {kind = "product", elements = 8192 : i64, rows = 64 : i64, columns = 128 : i64, block = 64 : i64}} {
  %c = accel.matmul %a, %b : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
  return %c : tensor<64x128xf32>
}

// More rows than columns: blocks of rows.
// CHECK: @tall
// CHECK-SAME: #plan.code<6 tiles of 24 rows, workspace [[TALL:[0-9]+]], vectors 1, packed 64>
func.func private @tall(%a: tensor<128x64xf32>, %b: tensor<64x64xf32>) -> tensor<128x64xf32> attributes {
    plan.kernel = {kind = "product", elements = 8192 : i64, rows = 128 : i64, columns = 64 : i64, block = 64 : i64}} {
  %c = accel.matmul %a, %b : tensor<128x64xf32>, tensor<64x64xf32> -> tensor<128x64xf32>
  return %c : tensor<128x64xf32>
}

// One workspace for both products, each as much of it as it needs.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[WORKSPACE:.+]] = plan.buffer persistent workspace "workspace" {per_thread} : memref<[[ALL:[0-9]+]]xf32>
  // CHECK-DAG: %[[PART:.+]] = plan.view %[[WORKSPACE]] at 0 : memref<[[ALL]]xf32> to memref<{{[0-9]+}}xf32>
  %0 = plan.buffer transient activations : memref<64x64xf32>
  %1 = plan.buffer transient activations : memref<64x128xf32>
  %2 = plan.buffer transient activations : memref<64x128xf32>
  %3 = plan.buffer transient activations : memref<128x64xf32>
  %4 = plan.buffer transient activations : memref<128x64xf32>
  %5 = plan.buffer transient activations : memref<256xf32>
  // CHECK: plan.launch @wide({{.*}}) [read, read, write] workspace(%[[WORKSPACE]] : memref<[[ALL]]xf32>)
  plan.launch @wide(%0, %1, %2) [read, read, write] : memref<64x64xf32>, memref<64x128xf32>, memref<64x128xf32>
  // CHECK: plan.launch @tall({{.*}}) [read, read, write] workspace(%[[PART]] : memref<{{[0-9]+}}xf32>)
  plan.launch @tall(%3, %0, %4) [read, read, write] : memref<128x64xf32>, memref<64x64xf32>, memref<128x64xf32>
  // CHECK: plan.launch @small(%{{.*}}, %{{.*}}) [read, write] :
  plan.launch @small(%5, %5) [read, write] : memref<256xf32>, memref<256xf32>
  return
}

// A long row is cut into pieces, of 16,384 elements at least, which threads share out.
// CHECK: @long_row
// CHECK-SAME: #plan.code<6 tiles of 1 rows>
func.func private @long_row(%x: tensor<1x60000xf32>, %y: tensor<1x50000xf32>) -> tensor<1x110000xf32> attributes {
    plan.kernel = {kind = "concat", elements = 110000 : i64, rows = 1 : i64, columns = 110000 : i64}} {
  %z = accel.concat %x, %y axis 1 : tensor<1x60000xf32>, tensor<1x50000xf32> -> tensor<1x110000xf32>
  return %z : tensor<1x110000xf32>
}
