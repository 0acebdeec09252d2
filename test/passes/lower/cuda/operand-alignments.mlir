// RUN: accel-opt %s --accel-lower-warp-kernels | FileCheck %s

// What a kernel may take for granted is what all of its launches have in common: buffers begin at multiples of 64 bytes, views of them at any element,
// and parts of ranks at granules. No access is longer than 16 bytes.
plan.variant @compute_80 cuda tuned for "sm_80" needs ["compute_80", "ptx71"] lanes 128

// CHECK-LABEL: func.func @buffers.code(
// CHECK-SAME:      memref<512xf32> {llvm.align = 16 : i64}, %{{.+}}: memref<512xf32> {llvm.align = 16 : i64}, %{{.+}}: index
func.func private @buffers(%x: tensor<512xf32>) -> tensor<512xf32> attributes {
    plan.kernel = {kind = "flat", elements = 512 : i64, rows = 1 : i64, columns = 512 : i64},
    plan.code = {compute_80 = #plan.code<4 tiles of 128 elements, threads 128>}} {
  %y = accel.neg %x : tensor<512xf32>
  return %y : tensor<512xf32>
}

// CHECK-LABEL: func.func @views.code(
// CHECK-SAME:      memref<512xf32> {llvm.align = 8 : i64}, %{{.+}}: memref<512xf32> {llvm.align = 16 : i64}, %{{.+}}: index
func.func private @views(%x: tensor<512xf32>) -> tensor<512xf32> attributes {
    plan.kernel = {kind = "flat", elements = 512 : i64, rows = 1 : i64, columns = 512 : i64},
    plan.code = {compute_80 = #plan.code<4 tiles of 128 elements, threads 128>}} {
  %y = accel.neg %x : tensor<512xf32>
  return %y : tensor<512xf32>
}

// CHECK-LABEL: func.func @parts.code(
// CHECK-SAME:      memref<512xf32> {llvm.align = 4 : i64}, %{{.+}}: memref<512xf32> {llvm.align = 4 : i64}, %{{.+}}: index
func.func private @parts(%x: tensor<512xf32>) -> tensor<512xf32> attributes {
    plan.kernel = {kind = "flat", elements = 512 : i64, rows = 1 : i64, columns = 512 : i64},
    plan.code = {compute_80 = #plan.code<512 tiles of 1 elements, threads 128>}} {
  %y = accel.neg %x : tensor<512xf32>
  return %y : tensor<512xf32>
}

// Nobody launches it: nothing is known.
// CHECK-LABEL: func.func @unused.code(
// CHECK-NOT:     llvm.align
func.func private @unused(%x: tensor<512xf32>) -> tensor<512xf32> attributes {
    plan.kernel = {kind = "flat", elements = 512 : i64, rows = 1 : i64, columns = 512 : i64},
    plan.code = {compute_80 = #plan.code<4 tiles of 128 elements, threads 128>}} {
  %y = accel.neg %x : tensor<512xf32>
  return %y : tensor<512xf32>
}

// CHECK-LABEL: func.func @step
func.func @step() {
  %a = plan.buffer transient activations {offset = 0 : i64} : memref<512xf32>
  %b = plan.buffer transient activations {offset = 2048 : i64} : memref<1024xf32>
  %even = plan.view %b at 6 : memref<1024xf32> to memref<512xf32>
  %line = plan.view %b at 16 : memref<1024xf32> to memref<512xf32>
  %own = plan.part %a {shard = #plan.shard<512 granule 1 over "fsdp">} : memref<512xf32>
  plan.launch @buffers(%a, %line) [read, write] : memref<512xf32>, memref<512xf32>
  plan.launch @views(%even, %a) [read, write] : memref<512xf32>, memref<512xf32>
  plan.launch @views(%line, %a) [read, write] : memref<512xf32>, memref<512xf32>
  plan.launch @parts(%own, %own) [read, write] {shard = #plan.shard<512 granule 1 over "fsdp">} : memref<512xf32>, memref<512xf32>
  return
}
