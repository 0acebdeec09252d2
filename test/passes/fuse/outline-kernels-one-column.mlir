// A product of one column is rounded by a kernel of its own, for GPUs as well: the plan's code for CPUs could not do it in
// the product's, as rows of one element are no loop that could follow those of a product.
// RUN: accel-opt %s --accel-outline-kernels=target=cpu,compute_80 | FileCheck %s
// RUN: accel-opt %s --accel-outline-kernels=target=cpu | FileCheck %s

accel.state @x accumulator : tensor<32x16xf32>
accel.state @w accumulator : tensor<16x1xf32>
accel.state @y accumulator : tensor<f32>
// CHECK-LABEL: func.func @step
// CHECK: %[[P:.+]] = call @matmul_32x1x16_0({{.*}}) -> tensor<32x1xf32>
// CHECK: call @[[ROWS:[a-z_0-9]+]](%[[P]]) : (tensor<32x1xf32>) -> tensor<f32>
// CHECK: func.func private @[[ROWS]](%[[A:.+]]: tensor<32x1xf32>)
// CHECK: accel.cast %[[A]] : tensor<32x1xf32> -> tensor<32x1xbf16>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<32x16xf32>
  %w = accel.read @w : tensor<16x1xf32>
  %xn = accel.cast %x : tensor<32x16xf32> -> tensor<32x16xbf16>
  %wn = accel.cast %w : tensor<16x1xf32> -> tensor<16x1xbf16>
  %p = accel.matmul %xn, %wn : tensor<32x16xbf16>, tensor<16x1xbf16> -> tensor<32x1xf32>
  %n = accel.cast %p : tensor<32x1xf32> -> tensor<32x1xbf16>
  %f = accel.cast %n : tensor<32x1xbf16> -> tensor<32x1xf32>
  %e = accel.exp %f : tensor<32x1xf32>
  %s = accel.reduce_sum %e [0, 1] : tensor<32x1xf32> -> tensor<f32>
  accel.write @y, %s : tensor<f32>
  return
}
