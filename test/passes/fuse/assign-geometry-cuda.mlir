// Geometry and calls for GPUs.
// RUN: accel-opt %s --accel-assign-geometry=target=compute_80 | FileCheck %s
// With tf32, products of f32 round their operands, and no others do; CPUs have code of f32.
// RUN: accel-opt %s --accel-assign-geometry='target=compute_80,x86-64-v3 tf32' | FileCheck %s --check-prefix=TF32

// CHECK: plan.variant @compute_80 cuda tuned for "sm_80" needs ["compute_80", "ptx71"] lanes 128

// A tile of elements is a warp's, four for each thread.
// CHECK-LABEL: func.func private @elements(
// CHECK-SAME: #plan.code<3 tiles of 128 elements, threads 128>
func.func private @elements(%x: tensor<300xf32>) -> tensor<300xf32> attributes {plan.kernel = {kind = "flat", elements = 300 : i64, rows = 1 : i64, columns = 300 : i64}} {
  %y = accel.neg %x : tensor<300xf32>
  return %y : tensor<300xf32>
}

// Products are calls, of where their operands lie: a part of a larger tensor, two matrices.
// CHECK-LABEL: func.func private @part(
// TF32-LABEL: func.func private @part(
// TF32-SAME: lhs 0 from 64, rhs 1 transposed, tf32>, workspace 33554432>, "x86-64-v3" = #plan.code<
// CHECK-SAME: compute_80 = #plan.library_call<"cublasLt" "cublasLtMatmul" product <2 of 4x5 over 8, lhs 0 from 64, rhs 1 transposed>, workspace 33554432>
func.func private @part(%x: tensor<2x2x4x8xf32>, %w: tensor<80xf32>) -> tensor<40xf32> attributes {plan.kernel = {kind = "product", elements = 40 : i64, rows = 8 : i64, columns = 5 : i64, matrices = 2 : i64, block = 8 : i64}} {
  %0:2 = accel.split %x axis 0 : tensor<2x2x4x8xf32> -> tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>
  %1 = accel.reshape %0#1 : tensor<1x2x4x8xf32> -> tensor<2x4x8xf32>
  %2 = accel.reshape %w : tensor<80xf32> -> tensor<2x5x8xf32>
  %3 = accel.matmul %1, %2 {transpose_rhs} : tensor<2x4x8xf32>, tensor<2x5x8xf32> -> tensor<2x4x5xf32>
  %4 = accel.reshape %3 : tensor<2x4x5xf32> -> tensor<40xf32>
  return %4 : tensor<40xf32>
}

// A call stores sums in bf16, and multiplies them by the scales of floats of 8 bits.
// CHECK-LABEL: func.func private @rounded(
// TF32-LABEL: func.func private @rounded(
// TF32-NOT: tf32
// TF32: return
// CHECK-SAME: product <1 of 16x32 over 16, lhs 0 scaled by 2, rhs 1 transposed scaled by 3 from 5>, workspace
func.func private @rounded(%x: tensor<16x16xf8E5M2>, %w: tensor<32x16xf8E4M3FN>, %s: tensor<f32>, %t: tensor<8xf32>) -> tensor<16x32xbf16> attributes {plan.kernel = {kind = "product", elements = 512 : i64, rows = 16 : i64, columns = 32 : i64, block = 16 : i64}} {
  %0 = accel.matmul %x, %w {transpose_rhs} : tensor<16x16xf8E5M2>, tensor<32x16xf8E4M3FN> -> tensor<16x32xf32>
  %1 = accel.broadcast %s [] : tensor<f32> -> tensor<16x32xf32>
  %2 = accel.mul %0, %1 : tensor<16x32xf32>
  %3 = accel.slice %t [5] strides [1] : tensor<8xf32> -> tensor<1xf32>
  %4 = accel.reshape %3 : tensor<1xf32> -> tensor<f32>
  %5 = accel.broadcast %4 [] : tensor<f32> -> tensor<16x32xf32>
  %6 = accel.mul %2, %5 : tensor<16x32xf32>
  %7 = accel.cast %6 : tensor<16x32xf32> -> tensor<16x32xbf16>
  return %7 : tensor<16x32xbf16>
}

// The bias is added to the sums before they are rounded, and has the type that they are rounded to.
// CHECK-LABEL: func.func private @biased(
// CHECK-SAME: product <1 of 16x32 over 16, lhs 0, rhs 1, bias 2 from 8>, workspace
func.func private @biased(%x: tensor<16x16xbf16>, %w: tensor<16x32xbf16>, %b: tensor<40xbf16>) -> tensor<2x8x32xbf16> attributes {plan.kernel = {kind = "product", elements = 512 : i64, rows = 16 : i64, columns = 32 : i64, block = 16 : i64}} {
  %0 = accel.matmul %x, %w : tensor<16x16xbf16>, tensor<16x32xbf16> -> tensor<16x32xf32>
  %1 = accel.reshape %0 : tensor<16x32xf32> -> tensor<2x8x32xf32>
  %2 = accel.slice %b [8] strides [1] : tensor<40xbf16> -> tensor<32xbf16>
  %3 = accel.broadcast %2 [2] : tensor<32xbf16> -> tensor<2x8x32xbf16>
  %4 = accel.cast %3 : tensor<2x8x32xbf16> -> tensor<2x8x32xf32>
  %5 = accel.add %4, %1 : tensor<2x8x32xf32>
  %6 = accel.cast %5 : tensor<2x8x32xf32> -> tensor<2x8x32xbf16>
  return %6 : tensor<2x8x32xbf16>
}

// What GELU is applied to is kept in another result; the gradient lies in an operand.
// CHECK-LABEL: func.func private @activated(
// CHECK-SAME: product <1 of 16x32 over 16, lhs 0, rhs 1, gelu keeping 3>, workspace
func.func private @activated(%x: tensor<16x16xbf16>, %w: tensor<16x32xbf16>) -> (tensor<16x32xbf16>, tensor<16x32xbf16>) attributes {plan.kernel = {kind = "product", elements = 512 : i64, rows = 16 : i64, columns = 32 : i64, block = 16 : i64}} {
  %0 = accel.matmul %x, %w : tensor<16x16xbf16>, tensor<16x32xbf16> -> tensor<16x32xf32>
  %1 = accel.gelu tanh, %0 : tensor<16x32xf32>
  %2 = accel.cast %1 : tensor<16x32xf32> -> tensor<16x32xbf16>
  %3 = accel.cast %0 : tensor<16x32xf32> -> tensor<16x32xbf16>
  return %2, %3 : tensor<16x32xbf16>, tensor<16x32xbf16>
}

// CHECK-LABEL: func.func private @alone(
// CHECK-SAME: product <1 of 16x32 over 16, lhs 0, rhs 1, gelu>, workspace
func.func private @alone(%x: tensor<16x16xf32>, %w: tensor<16x32xf32>) -> tensor<16x32xf32> attributes {plan.kernel = {kind = "product", elements = 512 : i64, rows = 16 : i64, columns = 32 : i64, block = 16 : i64}} {
  %0 = accel.matmul %x, %w : tensor<16x16xf32>, tensor<16x32xf32> -> tensor<16x32xf32>
  %1 = accel.gelu tanh, %0 : tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}

// CHECK-LABEL: func.func private @gradient(
// CHECK-SAME: product <1 of 16x32 over 16, lhs 0, rhs 1, gelu_gradient of 2 from 64>, workspace
func.func private @gradient(%x: tensor<16x16xbf16>, %w: tensor<16x32xbf16>, %k: tensor<18x32xbf16>) -> tensor<16x32xbf16> attributes {plan.kernel = {kind = "product", elements = 512 : i64, rows = 16 : i64, columns = 32 : i64, block = 16 : i64}} {
  %0 = accel.matmul %x, %w as input_gradient : tensor<16x16xbf16>, tensor<16x32xbf16> -> tensor<16x32xf32>
  %1 = accel.slice %k [2, 0] strides [1, 1] : tensor<18x32xbf16> -> tensor<16x32xbf16>
  %2 = accel.gelu_grad tanh, %0, %1 : tensor<16x32xf32>, tensor<16x32xbf16>
  %3 = accel.cast %2 : tensor<16x32xf32> -> tensor<16x32xbf16>
  return %3 : tensor<16x32xbf16>
}

// Few long rows are cut into pieces, so that enough warps copy.
// CHECK-LABEL: func.func private @long_rows(
// CHECK-SAME: #plan.code<10 tiles of 1 rows, threads 128>
func.func private @long_rows(%x: tensor<2x2000xf32>, %y: tensor<2x200xf32>) -> tensor<2x2200xf32> attributes {plan.kernel = {kind = "concat", elements = 4400 : i64, rows = 2 : i64, columns = 2200 : i64}} {
  %0 = accel.concat %x, %y axis 1 : tensor<2x2000xf32>, tensor<2x200xf32> -> tensor<2x2200xf32>
  return %0 : tensor<2x2200xf32>
}

// The rows of a table are dealt out to 1,024 warps for each 128 columns.
// CHECK-LABEL: func.func private @table(
// CHECK-SAME: #plan.code<2048 tiles of 128 columns, threads 128>
func.func private @table(%i: tensor<512xi64>, %x: tensor<512x200xf32>) -> tensor<5000x200xf32> attributes {plan.kernel = {kind = "columns", elements = 102400 : i64, rows = 512 : i64, columns = 200 : i64}} {
  %0 = accel.scatter_add %i, %x : tensor<512xi64>, tensor<512x200xf32> -> tensor<5000x200xf32>
  return %0 : tensor<5000x200xf32>
}

// Attention of 16 bits: 32 queries to a tile; of its gradient, 16 queries and 16 keys; of long rows the gradients of keys and of values apart.
// CHECK-LABEL: func.func private @attend(
// CHECK-SAME: #plan.code<12 tiles of 1 rows, threads 128>
func.func private @attend(%q: tensor<2x2x70x32xbf16>, %k: tensor<2x2x70x32xbf16>, %v: tensor<2x2x70x32xbf16>) -> tensor<2x2x70x32xbf16> attributes {plan.kernel = {kind = "attention", elements = 19600 : i64, rows = 280 : i64, columns = 70 : i64}} {
  %y, %lse = accel.attention %q, %k, %v scale 0.25 causal : tensor<2x2x70x32xbf16>, tensor<2x2x70x32xbf16>, tensor<2x2x70x32xbf16> -> tensor<2x2x70x32xbf16>, tensor<2x2x70xf32>
  return %y : tensor<2x2x70x32xbf16>
}

// A copy that transposes has tiles of 32 blocks, each as many elements high and wide as an access of 16 bytes has. Its code for CPUs has rows.
// CHECK-LABEL: func.func private @turned(
// CHECK-SAME: #plan.code<12 tiles of 8192 elements, threads 128>
// TF32-LABEL: func.func private @turned(
// TF32-SAME: compute_80 = #plan.code<12 tiles of 8192 elements, threads 128>, "x86-64-v3" = #plan.code<98304 tiles of 1 rows>
func.func private @turned(%x: tensor<512x192xf8E4M3FN>) -> tensor<192x512xf8E4M3FN> attributes {plan.kernel = {kind = "rows", elements = 98304 : i64, rows = 98304 : i64, columns = 1 : i64}} {
  %0 = accel.transpose %x [1, 0] stored : tensor<512x192xf8E4M3FN> -> tensor<192x512xf8E4M3FN>
  return %0 : tensor<192x512xf8E4M3FN>
}

// A head's 24 features are blocks of eight, its 20 tokens blocks of four: 3 heads of 3 blocks by 2 samples of 5 blocks, of which a tile has four by eight.
// CHECK-LABEL: func.func private @turned_heads(
// CHECK-SAME: #plan.code<6 tiles of 1024 elements, threads 128>
func.func private @turned_heads(%x: tensor<2x3x20x24xf8E5M2>) -> tensor<72x40xf8E5M2> attributes {plan.kernel = {kind = "rows", elements = 2880 : i64, rows = 2880 : i64, columns = 1 : i64}} {
  %0 = accel.transpose %x [0, 2, 1, 3] : tensor<2x3x20x24xf8E5M2> -> tensor<2x20x3x24xf8E5M2>
  %1 = accel.reshape %0 : tensor<2x20x3x24xf8E5M2> -> tensor<40x72xf8E5M2>
  %2 = accel.transpose %1 [1, 0] stored : tensor<40x72xf8E5M2> -> tensor<72x40xf8E5M2>
  return %2 : tensor<72x40xf8E5M2>
}

// What a kernel computes and stores both ways is cut into blocks of four by sixteen, of which a tile has eight by four; for CPUs, into as many rows as fill a line of the transposed result.
// CHECK-LABEL: func.func private @turned_cast(
// CHECK-SAME: #plan.code<48 tiles of 2048 elements, threads 128>
// TF32-LABEL: func.func private @turned_cast(
// TF32-SAME: compute_80 = #plan.code<48 tiles of 2048 elements, threads 128>, "x86-64-v3" = #plan.code<8 tiles of 64 rows>
func.func private @turned_cast(%x: tensor<512x192xf32>) -> (tensor<512x192xf8E4M3FN>, tensor<192x512xf8E4M3FN>) attributes {plan.kernel = {kind = "rows", elements = 98304 : i64, rows = 512 : i64, columns = 192 : i64}} {
  %0 = accel.cast %x saturate : tensor<512x192xf32> -> tensor<512x192xf8E4M3FN>
  %1 = accel.transpose %0 [1, 0] stored : tensor<512x192xf8E4M3FN> -> tensor<192x512xf8E4M3FN>
  return %0, %1 : tensor<512x192xf8E4M3FN>, tensor<192x512xf8E4M3FN>
}

// 20 tokens of a head are five blocks of four columns; 24 features, six of four rows.
// CHECK-LABEL: func.func private @turned_cast_of_heads(
// CHECK-SAME: #plan.code<9 tiles of 512 elements, threads 128>
// TF32-LABEL: func.func private @turned_cast_of_heads(
// TF32-SAME: "x86-64-v3" = #plan.code<30 tiles of 4 rows, grain 30>
func.func private @turned_cast_of_heads(%x: tensor<2x3x20x24xf32>) -> (tensor<2x3x20x24xf8E5M2>, tensor<72x40xf8E5M2>) attributes {plan.kernel = {kind = "rows", elements = 2880 : i64, rows = 120 : i64, columns = 24 : i64}} {
  %y = accel.cast %x saturate : tensor<2x3x20x24xf32> -> tensor<2x3x20x24xf8E5M2>
  %0 = accel.transpose %y [0, 2, 1, 3] : tensor<2x3x20x24xf8E5M2> -> tensor<2x20x3x24xf8E5M2>
  %1 = accel.reshape %0 : tensor<2x20x3x24xf8E5M2> -> tensor<40x72xf8E5M2>
  %2 = accel.transpose %1 [1, 0] stored : tensor<40x72xf8E5M2> -> tensor<72x40xf8E5M2>
  return %y, %2 : tensor<2x3x20x24xf8E5M2>, tensor<72x40xf8E5M2>
}

// No neighbours of the result, and none of the operand, are neighbours in the other.
// CHECK-LABEL: func.func private @apart(
// CHECK-SAME: #plan.code<15 tiles of 1 rows, threads 128>
func.func private @apart(%x: tensor<9x11xf8E4M3FN>) -> tensor<5x3xf8E4M3FN> attributes {plan.kernel = {kind = "rows", elements = 15 : i64, rows = 15 : i64, columns = 1 : i64}} {
  %0 = accel.slice %x [1, 0] strides [3, 2] : tensor<9x11xf8E4M3FN> -> tensor<3x5xf8E4M3FN>
  %1 = accel.transpose %0 [1, 0] : tensor<3x5xf8E4M3FN> -> tensor<5x3xf8E4M3FN>
  return %1 : tensor<5x3xf8E4M3FN>
}
