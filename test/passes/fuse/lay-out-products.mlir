// RUN: accel-opt %s --accel-lay-out-products=target=compute_90 | FileCheck %s
// RUN: accel-opt %s --accel-lay-out-products | FileCheck %s --check-prefix=CPU
// What it computes stays.
// RUN: accel-opt %s --run=layer > %t.before && accel-opt %s --accel-lay-out-products=target=compute_90 --run=layer > %t.after && diff %t.before %t.after

// CPUs multiply operands as they lie.
// CPU-NOT: accel.transpose

// The three products of a layer: the weight, its input and its output's gradient are copied once each, and nothing that lies right.
// CHECK-LABEL: func.func @layer
// CHECK-SAME: (%[[X:.+]]: tensor<48x32xf8E4M3FN>, %[[W:.+]]: tensor<32x16xf8E4M3FN>, %[[DY:.+]]: tensor<48x16xf8E5M2>)
// CHECK-DAG: %[[XT:.+]] = accel.transpose %[[X]] [1, 0] stored
// CHECK-DAG: %[[WT:.+]] = accel.transpose %[[W]] [1, 0] stored
// CHECK-DAG: %[[DYT:.+]] = accel.transpose %[[DY]] [1, 0] stored
// CHECK-NOT: accel.transpose
// CHECK: accel.matmul %[[X]], %[[WT]] {transpose_rhs} : tensor<48x32xf8E4M3FN>, tensor<16x32xf8E4M3FN> -> tensor<48x16xf32>
// CHECK: accel.matmul %[[DY]], %[[W]] as input_gradient {transpose_rhs} : tensor<48x16xf8E5M2>, tensor<32x16xf8E4M3FN> -> tensor<48x32xf32>
// CHECK: accel.matmul %[[XT]], %[[DYT]] as weight_gradient {transpose_rhs} : tensor<32x48xf8E4M3FN>, tensor<16x48xf8E5M2> -> tensor<32x16xf32>
// CHECK: accel.matmul %[[X]], %[[WT]] {transpose_rhs}
func.func @layer(%x: tensor<48x32xf8E4M3FN>, %w: tensor<32x16xf8E4M3FN>, %dy: tensor<48x16xf8E5M2>) -> (tensor<48x16xf32>, tensor<48x32xf32>, tensor<32x16xf32>, tensor<48x16xf32>) {
  %y = accel.matmul %x, %w : tensor<48x32xf8E4M3FN>, tensor<32x16xf8E4M3FN> -> tensor<48x16xf32>
  %dx = accel.matmul %dy, %w as input_gradient {transpose_rhs} : tensor<48x16xf8E5M2>, tensor<32x16xf8E4M3FN> -> tensor<48x32xf32>
  %dw = accel.matmul %x, %dy as weight_gradient {transpose_lhs} : tensor<48x32xf8E4M3FN>, tensor<48x16xf8E5M2> -> tensor<32x16xf32>
  %z = accel.matmul %x, %w : tensor<48x32xf8E4M3FN>, tensor<32x16xf8E4M3FN> -> tensor<48x16xf32>
  return %y, %dx, %dw, %z : tensor<48x16xf32>, tensor<48x32xf32>, tensor<32x16xf32>, tensor<48x16xf32>
}

// Operands of 16 bits are multiplied as they lie, and batches keep their order.
// CHECK-LABEL: func.func @others
// CHECK: accel.transpose %{{.+}} [0, 2, 1] stored : tensor<2x32x16xf8E4M3FN> -> tensor<2x16x32xf8E4M3FN>
// CHECK: accel.matmul %{{.+}}, %{{.+}} {transpose_lhs} : tensor<32x48xbf16>
func.func @others(%a: tensor<32x48xbf16>, %b: tensor<32x16xbf16>, %c: tensor<2x48x32xf8E4M3FN>, %d: tensor<2x32x16xf8E4M3FN>) -> (tensor<48x16xf32>, tensor<2x48x16xf32>) {
  %0 = accel.matmul %a, %b {transpose_lhs} : tensor<32x48xbf16>, tensor<32x16xbf16> -> tensor<48x16xf32>
  %1 = accel.matmul %c, %d : tensor<2x48x32xf8E4M3FN>, tensor<2x32x16xf8E4M3FN> -> tensor<2x48x16xf32>
  return %0, %1 : tensor<48x16xf32>, tensor<2x48x16xf32>
}
