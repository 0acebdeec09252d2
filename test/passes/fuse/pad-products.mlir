// RUN: accel-opt %s --accel-pad-products=target=sm_90 --accel-expand-composites | FileCheck %s
// RUN: accel-opt %s --accel-pad-products --accel-expand-composites | FileCheck %s --check-prefix=CPU
// What it computes stays.
// RUN: accel-opt %s --run=head > %t.whole && accel-opt %s --accel-pad-products=target=sm_90 --run=head > %t.padded && diff %t.whole %t.padded

// CPUs take rows of any length.
// CPU-NOT: accel.concat

// All three products of a projection onto 1001 classes: what two of them read is padded once.
// CHECK-LABEL: func @head
// CHECK-SAME: (%[[X:.+]]: tensor<1100x512xbf16>, %[[W:.+]]: tensor<1001x512xbf16>, %[[DY:.+]]: tensor<1100x1001xbf16>)
// CHECK-DAG: %[[DYP:.+]] = accel.concat %[[DY]], %{{.+}} axis 1 : tensor<1100x1001xbf16>, tensor<1100x7xbf16> -> tensor<1100x1008xbf16>
// CHECK-DAG: %[[WP:.+]] = accel.concat %[[W]], %{{.+}} axis 0 : tensor<1001x512xbf16>, tensor<7x512xbf16> -> tensor<1008x512xbf16>
// CHECK-NOT: accel.concat
// CHECK: %[[Y:.+]] = accel.matmul %[[X]], %[[WP]] {transpose_rhs} : {{.*}} -> tensor<1100x1008xf32>
// CHECK: accel.slice %[[Y]] [0, 0] strides [1, 1] : tensor<1100x1008xf32> -> tensor<1100x1001xf32>
// CHECK: accel.matmul %[[DYP]], %[[WP]] as input_gradient : {{.*}} -> tensor<1100x512xf32>
// CHECK: %[[DW:.+]] = accel.matmul %[[DYP]], %[[X]] as weight_gradient {transpose_lhs} : {{.*}} -> tensor<1008x512xf32>
// CHECK: accel.slice %[[DW]] [0, 0] strides [1, 1] : tensor<1008x512xf32> -> tensor<1001x512xf32>
func.func @head(%x: tensor<1100x512xbf16>, %w: tensor<1001x512xbf16>, %dy: tensor<1100x1001xbf16>) -> (tensor<1100x1001xf32>, tensor<1100x512xf32>, tensor<1001x512xf32>) {
  %y = accel.matmul %x, %w {transpose_rhs} : tensor<1100x512xbf16>, tensor<1001x512xbf16> -> tensor<1100x1001xf32>
  %dx = accel.matmul %dy, %w as input_gradient : tensor<1100x1001xbf16>, tensor<1001x512xbf16> -> tensor<1100x512xf32>
  %dw = accel.matmul %dy, %x as weight_gradient {transpose_lhs} : tensor<1100x1001xbf16>, tensor<1100x512xbf16> -> tensor<1001x512xf32>
  return %y, %dx, %dw : tensor<1100x1001xf32>, tensor<1100x512xf32>, tensor<1001x512xf32>
}

// What rounds the sums stays behind them, in front of the view: so it can be part of the product's kernel.
// CHECK-LABEL: func @rounded
// CHECK: %[[Y:.+]] = accel.matmul {{.*}} -> tensor<1100x1008xf32>
// CHECK-NEXT: %[[LOW:.+]] = accel.cast %[[Y]] : tensor<1100x1008xf32> -> tensor<1100x1008xbf16>
// CHECK-NEXT: accel.slice %[[LOW]] [0, 0] strides [1, 1] : tensor<1100x1008xbf16> -> tensor<1100x1001xbf16>
func.func @rounded(%x: tensor<1100x512xbf16>, %w: tensor<1001x512xbf16>) -> tensor<1100x1001xbf16> {
  %y = accel.matmul %x, %w {transpose_rhs} : tensor<1100x512xbf16>, tensor<1001x512xbf16> -> tensor<1100x1001xf32>
  %low = accel.cast %y : tensor<1100x1001xf32> -> tensor<1100x1001xbf16>
  return %low : tensor<1100x1001xbf16>
}

// Small products do not repay the copies, floats of 32 bits are multiplied elsewhere, and multiples of eight are what is wanted.
// CHECK-LABEL: func @stays
// CHECK-NOT: accel.concat
func.func @stays(%x: tensor<16x512xbf16>, %w: tensor<1001x512xbf16>, %a: tensor<1024x512xf32>, %b: tensor<1001x512xf32>, %c: tensor<1024x1024xbf16>) -> (tensor<16x1001xf32>, tensor<1024x1001xf32>, tensor<1024x1024xf32>) {
  %0 = accel.matmul %x, %w {transpose_rhs} : tensor<16x512xbf16>, tensor<1001x512xbf16> -> tensor<16x1001xf32>
  %1 = accel.matmul %a, %b {transpose_rhs} : tensor<1024x512xf32>, tensor<1001x512xf32> -> tensor<1024x1001xf32>
  %2 = accel.matmul %c, %c : tensor<1024x1024xbf16>, tensor<1024x1024xbf16> -> tensor<1024x1024xf32>
  return %0, %1, %2 : tensor<16x1001xf32>, tensor<1024x1001xf32>, tensor<1024x1024xf32>
}
