// RUN: accel-opt %s --accel-recognise-grouped-products --split-input-file | FileCheck %s

// Weights as PyTorch keeps them, (out, in), times a column for each row; an index that does not exist makes the result NaN.
// CHECK-LABEL: func @experts
// CHECK-SAME: %[[X:.+]]: tensor<12x8xf32>, %[[I:.+]]: tensor<12xi64>, %[[E:.+]]: tensor<12xi1>
// CHECK: %[[W:.+]] = accel.read @w
// CHECK-NOT: accel.gather
// CHECK: %[[Y:.+]] = accel.grouped_matmul %{{.+}}, %[[W]], %[[I]] {transpose_weights} : tensor<12x8xf32>, tensor<4x16x8xf32>, tensor<12xi64> -> tensor<12x16xf32>
// CHECK: %[[EB:.+]] = accel.broadcast %[[E]] [0] : tensor<12xi1> -> tensor<12x16xi1>
// CHECK: %[[S:.+]] = accel.select %[[EB]], %[[Y]], %{{.+}}
// CHECK: accel.reshape %[[S]] : tensor<12x16xf32> -> tensor<12x16x1xf32>
// CHECK-NOT: accel.matmul
accel.parameter @w : tensor<4x16x8xf32> trainable
func.func @experts(%x: tensor<12x8xf32>, %i: tensor<12xi64>, %e: tensor<12xi1>) -> tensor<12x16x1xf32> {
  %w = accel.read @w : tensor<4x16x8xf32>
  %g = accel.gather %w, %i : tensor<4x16x8xf32>, tensor<12xi64> -> tensor<12x16x8xf32>
  %nan = accel.constant dense<0x7FC00000> : tensor<12x16x8xf32>
  %eb = accel.broadcast %e [0] : tensor<12xi1> -> tensor<12x16x8xi1>
  %s = accel.select %eb, %g, %nan : tensor<12x16x8xi1>, tensor<12x16x8xf32>
  %c = accel.reshape %x : tensor<12x8xf32> -> tensor<12x8x1xf32>
  %y = accel.matmul %s, %c : tensor<12x16x8xf32>, tensor<12x8x1xf32> -> tensor<12x16x1xf32>
  return %y : tensor<12x16x1xf32>
}

// -----

// One row on the left, and matrices that lie as they multiply.
// CHECK-LABEL: func @rows
// CHECK: accel.grouped_matmul %{{.+}}, %{{.+}}, %{{.+}} : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
func.func @rows(%x: tensor<12x1x8xf32>, %w: tensor<4x8x16xf32>, %i: tensor<12xi64>) -> tensor<12x1x16xf32> {
  %g = accel.gather %w, %i : tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x8x16xf32>
  %y = accel.matmul %x, %g : tensor<12x1x8xf32>, tensor<12x8x16xf32> -> tensor<12x1x16xf32>
  return %y : tensor<12x1x16xf32>
}

// -----

// Two matrices for each of six rows, and indices that may not exist.
// CHECK-LABEL: func @pairs
// CHECK-SAME: %[[X:.+]]: tensor<6x2x1x8xf32>, %{{.+}}: tensor<4x8x16xf32>, %[[I:.+]]: tensor<6x2xi64>, %[[E:.+]]: tensor<6x2xi1>
// CHECK: %[[XR:.+]] = accel.reshape %[[X]] : tensor<6x2x1x8xf32> -> tensor<12x8xf32>
// CHECK: %[[IR:.+]] = accel.reshape %[[I]] : tensor<6x2xi64> -> tensor<12xi64>
// CHECK: accel.grouped_matmul %[[XR]], %{{.+}}, %[[IR]] : tensor<12x8xf32>, tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x16xf32>
// CHECK: %[[ER:.+]] = accel.reshape %[[E]] : tensor<6x2xi1> -> tensor<12xi1>
// CHECK: accel.broadcast %[[ER]] [0]
func.func @pairs(%x: tensor<6x2x1x8xf32>, %w: tensor<4x8x16xf32>, %i: tensor<6x2xi64>, %e: tensor<6x2xi1>) -> tensor<6x2x1x16xf32> {
  %g = accel.gather %w, %i : tensor<4x8x16xf32>, tensor<6x2xi64> -> tensor<6x2x8x16xf32>
  %nan = accel.constant dense<0x7FC00000> : tensor<6x2x8x16xf32>
  %eb = accel.broadcast %e [0, 1] : tensor<6x2xi1> -> tensor<6x2x8x16xi1>
  %s = accel.select %eb, %g, %nan : tensor<6x2x8x16xi1>, tensor<6x2x8x16xf32>
  %y = accel.matmul %x, %s : tensor<6x2x1x8xf32>, tensor<6x2x8x16xf32> -> tensor<6x2x1x16xf32>
  return %y : tensor<6x2x1x16xf32>
}

// -----

// Several rows for each matrix are a batched product, which multiplies whole matrices; a row of a table is no matrix.
// CHECK-LABEL: func @several
// CHECK: accel.gather
// CHECK: accel.matmul
// CHECK-LABEL: func @table
// CHECK: accel.gather
// CHECK: accel.matmul
func.func @several(%x: tensor<12x2x8xf32>, %w: tensor<4x8x16xf32>, %i: tensor<12xi64>) -> tensor<12x2x16xf32> {
  %g = accel.gather %w, %i : tensor<4x8x16xf32>, tensor<12xi64> -> tensor<12x8x16xf32>
  %y = accel.matmul %x, %g : tensor<12x2x8xf32>, tensor<12x8x16xf32> -> tensor<12x2x16xf32>
  return %y : tensor<12x2x16xf32>
}
func.func @table(%x: tensor<1x8xf32>, %w: tensor<4x8xf32>, %i: tensor<12xi64>) -> tensor<1x12xf32> {
  %g = accel.gather %w, %i : tensor<4x8xf32>, tensor<12xi64> -> tensor<12x8xf32>
  %y = accel.matmul %x, %g {transpose_rhs} : tensor<1x8xf32>, tensor<12x8xf32> -> tensor<1x12xf32>
  return %y : tensor<1x12xf32>
}

// -----

// Kernels of grouped products multiply f32.
// CHECK-LABEL: func @doubles
// CHECK: accel.gather
// CHECK: accel.matmul
func.func @doubles(%x: tensor<12x1x8xf64>, %w: tensor<4x8x16xf64>, %i: tensor<12xi64>) -> tensor<12x1x16xf64> {
  %g = accel.gather %w, %i : tensor<4x8x16xf64>, tensor<12xi64> -> tensor<12x8x16xf64>
  %y = accel.matmul %x, %g : tensor<12x1x8xf64>, tensor<12x8x16xf64> -> tensor<12x1x16xf64>
  return %y : tensor<12x1x16xf64>
}
