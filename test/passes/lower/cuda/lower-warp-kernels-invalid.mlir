// RUN: accel-opt %s --accel-lower-warp-kernels --verify-diagnostics

plan.variant @compute_80 cuda tuned for "sm_80" needs ["compute_80", "ptx71"] lanes 128

// expected-error @+1 {{expected a call of a library, which products are on GPUs, got code}}
func.func private @product(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {
    plan.kernel = {kind = "product", elements = 256 : i64, rows = 16 : i64, columns = 16 : i64, block = 16 : i64},
    plan.code = {compute_80 = #plan.code<16 tiles of 1 rows, threads 128>}} {
  %c = accel.matmul %a, %b : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}

// A geometry that says nothing about rows is one of kernels that transpose, and as many tiles as this one has.
// expected-error @+1 {{expected rows that are cut into rows, or a kernel that transposes in as many tiles as it has, got #plan.code<4 tiles of 128 elements, threads 128>}}
func.func private @rows(%x: tensor<4x128xf32>) -> tensor<4x128xf32> attributes {
    plan.kernel = {kind = "rows", elements = 512 : i64, rows = 4 : i64, columns = 128 : i64},
    plan.code = {compute_80 = #plan.code<4 tiles of 128 elements, threads 128>}} {
  %y = accel.neg %x : tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}

// The cast has two tiles of its blocks.
// expected-error @+1 {{expected rows that are cut into rows, or a kernel that transposes in as many tiles as it has, got #plan.code<1 tiles of 2048 elements, threads 128>}}
func.func private @turned_cast(%x: tensor<64x64xf32>) -> (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>) attributes {
    plan.kernel = {kind = "rows", elements = 4096 : i64, rows = 64 : i64, columns = 64 : i64},
    plan.code = {compute_80 = #plan.code<1 tiles of 2048 elements, threads 128>}} {
  %0 = accel.cast %x saturate : tensor<64x64xf32> -> tensor<64x64xf8E4M3FN>
  %1 = accel.transpose %0 [1, 0] stored : tensor<64x64xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
  return %0, %1 : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>
}

func.func private @grouped(%x: tensor<12x8xf32>, %w: tensor<4x8x16xf32>, %i: tensor<12xi64>) -> tensor<12x16xf32> attributes {
    plan.kernel = {kind = "grouped", elements = 192 : i64, rows = 12 : i64, columns = 16 : i64},
    plan.code = {compute_80 = #plan.code<12 tiles of 1 rows, threads 128>}} {
  // expected-error @+1 {{in kernel 'grouped' expected 4 tiles, got #plan.code<12 tiles of 1 rows, threads 128>}}
  %y = accel.grouped_matmul %x, %w, %i : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
  return %y : tensor<12x16xf32>
}
