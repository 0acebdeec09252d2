// RUN: accel-opt %s --accel-lower-warp-kernels | FileCheck %s
// RUN: accel-opt %s --pass-pipeline="builtin.module(accel-lower{device=cuda lanes=128})" | FileCheck %s --check-prefix=ALL

plan.variant @compute_80 cuda tuned for "sm_80" needs ["compute_80", "ptx71"] lanes 128

// The loops of CPUs.
// CHECK-LABEL: func.func @twice.code(
// CHECK-SAME:      %{{.+}}: memref<4096xf32>, %{{.+}}: memref<4096xf32>, %{{.+}}: index, %{{.+}}: index)
// CHECK:         linalg.generic
// ALL-LABEL: func.func @twice.code(
// ALL-NOT:     linalg.generic
// ALL:         nvvm.read.ptx.sreg.laneid
func.func private @twice(%x: tensor<4096xf32>) -> tensor<4096xf32> attributes {
    plan.kernel = {kind = "flat", elements = 4096 : i64, rows = 1 : i64, columns = 4096 : i64},
    plan.code = {compute_80 = #plan.code<32 tiles of 128 elements, threads 128>}} {
  %y = accel.add %x, %x : tensor<4096xf32>
  return %y : tensor<4096xf32>
}

// A query of a head: products of rows are sums over the threads.
// CHECK-LABEL: func.func @attend.code(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK:             math.exp
// CHECK:             linalg.generic {{.*}}iterator_types = ["parallel"]
func.func private @attend(%q: tensor<1x2x8x16xf32>, %k: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x16xf32>) -> (tensor<1x2x8x16xf32>, tensor<1x2x8xf32>) attributes {
    plan.kernel = {kind = "attention", elements = 256 : i64, rows = 16 : i64, columns = 16 : i64},
    plan.code = {compute_80 = #plan.code<16 tiles of 1 rows, threads 128>}} {
  %y, %lse = accel.attention %q, %k, %v scale 0.25 causal : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32> -> tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
  return %y, %lse : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
}

// Rows of 16 bits that are multiples of 16 elements: tiles of 32 queries, by matrix instructions. The keys that follow are loaded first.
// CHECK-LABEL: func.func @attend_matrices.code(
// CHECK-SAME:      attributes {nvvm.minctasm = 1 : i32}
// CHECK:         scf.for
// CHECK:           vector.load {{.*}} {alignment = 16 : i64} : memref<{{.*}}xi16>, vector<8xi16>
// CHECK:           nvvm.mma.sync
// CHECK-SAME:        multiplicandAPtxType = #nvvm.mma_type<bf16>
// CHECK:           llvm.nvvm.ex2.approx.ftz.f
func.func private @attend_matrices(%q: tensor<1x2x64x32xbf16>, %k: tensor<1x2x64x32xbf16>, %v: tensor<1x2x64x32xbf16>) -> (tensor<1x2x64x32xbf16>, tensor<1x2x64xf32>) attributes {
    plan.kernel = {kind = "attention", elements = 8192 : i64, rows = 128 : i64, columns = 64 : i64},
    plan.code = {compute_80 = #plan.code<4 tiles of 1 rows, threads 128>}} {
  %y, %lse = accel.attention %q, %k, %v scale 0.25 causal : tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16> -> tensor<1x2x64x32xbf16>, tensor<1x2x64xf32>
  return %y, %lse : tensor<1x2x64x32xbf16>, tensor<1x2x64xf32>
}

// What a library computes has no code.
// CHECK-NOT: @call.code
func.func private @call(%x: tensor<128xf32>) -> tensor<128xf32> attributes {
    plan.kernel = {kind = "flat", elements = 128 : i64, rows = 1 : i64, columns = 128 : i64},
    plan.code = {compute_80 = #plan.library_call<"vectors" "negate">}} {
  %y = accel.neg %x : tensor<128xf32>
  return %y : tensor<128xf32>
}

// A copy that transposes: 16 loads of 16 bytes, the squares of four bytes by four are turned, and 16 stores. Nothing is shared.
// CHECK-LABEL: func.func @turn.code(
// CHECK-COUNT-16: vector.load {{.*}} {alignment = 16 : i64} : memref<8192xi8>, vector<16xi8>
// CHECK:        arith.constant 20800 : i32
// CHECK-COUNT-128: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK-NOT:    llvm.call_intrinsic
// CHECK-COUNT-16: vector.store {{.*}} {alignment = 16 : i64} : memref<8192xi8>, vector<16xi8>
// CHECK-NOT:    vector.store
// CHECK:        return
func.func private @turn(%x: tensor<128x64xf8E4M3FN>) -> tensor<64x128xf8E4M3FN> attributes {
    plan.operand_alignments = array<i64: 16, 16>,
    plan.kernel = {kind = "rows", elements = 8192 : i64, rows = 8192 : i64, columns = 1 : i64},
    plan.code = {compute_80 = #plan.code<1 tiles of 8192 elements, threads 128>}} {
  %y = accel.transpose %x [1, 0] stored : tensor<128x64xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
  return %y : tensor<64x128xf8E4M3FN>
}

// A cast that is stored both ways: 16 loads of four numbers, whose bits make 16 words; these are stored by rows, turned, and stored in four rows of 16 bytes. All is loaded before anything is stored, and computed once.
// CHECK-LABEL: func.func @turn_cast.code(
// CHECK-COUNT-16: vector.load {{.*}} {alignment = 16 : i64} : memref<2048xf32>, vector<4xf32>
// CHECK-COUNT-16: vector.bitcast {{.*}} : vector<4xi8> to vector<1xi32>
// CHECK-COUNT-16: vector.store {{.*}} {alignment = 4 : i64} : memref<2048xi8>, vector<4xi8>
// CHECK-COUNT-32: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK-NOT:    llvm.call_intrinsic
// CHECK-COUNT-4: vector.store {{.*}} {alignment = 16 : i64} : memref<2048xi8>, vector<16xi8>
// CHECK-NOT:    vector.store
// CHECK:        return
func.func private @turn_cast(%x: tensor<64x32xf32>) -> (tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>) attributes {
    plan.operand_alignments = array<i64: 16, 16, 16>,
    plan.kernel = {kind = "rows", elements = 2048 : i64, rows = 64 : i64, columns = 32 : i64},
    plan.code = {compute_80 = #plan.code<1 tiles of 2048 elements, threads 128>}} {
  %y = accel.cast %x saturate : tensor<64x32xf32> -> tensor<64x32xf8E4M3FN>
  %t = accel.transpose %y [1, 0] stored : tensor<64x32xf8E4M3FN> -> tensor<32x64xf8E4M3FN>
  return %y, %t : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>
}

// Of operands and results that begin anywhere, each element is an access.
// CHECK-LABEL: func.func @turn_cast_anywhere.code(
// CHECK-NOT: vector.load {{.*}} vector<4x
// CHECK-NOT: vector.store {{.*}} vector<{{4|16}}xi8>
// CHECK:     return
func.func private @turn_cast_anywhere(%x: tensor<64x32xf32>) -> (tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>) attributes {
    plan.operand_alignments = array<i64: 4, 1, 1>,
    plan.kernel = {kind = "rows", elements = 2048 : i64, rows = 64 : i64, columns = 32 : i64},
    plan.code = {compute_80 = #plan.code<1 tiles of 2048 elements, threads 128>}} {
  %y = accel.cast %x saturate : tensor<64x32xf32> -> tensor<64x32xf8E4M3FN>
  %t = accel.transpose %y [1, 0] stored : tensor<64x32xf8E4M3FN> -> tensor<32x64xf8E4M3FN>
  return %y, %t : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>
}
