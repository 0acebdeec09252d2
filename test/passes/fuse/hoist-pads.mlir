// RUN: accel-opt %s --accel-hoist-pads --canonicalize | FileCheck %s
// What it computes stays.
// RUN: accel-opt %s --run=gradient > %t.padded && accel-opt %s --accel-hoist-pads --run=gradient > %t.hoisted && diff %t.padded %t.hoisted
// RUN: accel-opt %s --run=rows > %t.padded && accel-opt %s --accel-hoist-pads --run=rows > %t.hoisted && diff %t.padded %t.hoisted
// The gradient of padded logits is not copied. CPUs pad nothing.
// RUN: accel-opt %s --accel-pad-products=target=sm_90 --accel-hoist-pads --canonicalize | FileCheck %s --check-prefix=PRODUCTS

// A gradient of logits, which are a part of longer rows.
// CHECK-LABEL: func @gradient
// CHECK-SAME: (%[[X:.+]]: tensor<4x24xbf16>, %[[LABELS:.+]]: tensor<4xi64>, %[[LSE:.+]]: tensor<4xf32>)
// CHECK-NOT: accel.pad
// CHECK-DAG: %[[END:.+]] = accel.constant dense<23> : tensor<4x24xi64>
// CHECK-DAG: %[[ZERO:.+]] = accel.constant dense<0.000000e+00> : tensor<4x24xf32>
// CHECK-DAG: %[[F:.+]] = accel.cast %[[X]] : tensor<4x24xbf16> -> tensor<4x24xf32>
// CHECK-DAG: %[[L:.+]] = accel.broadcast %[[LSE]] [0] : tensor<4xf32> -> tensor<4x24xf32>
// CHECK-DAG: %[[P:.+]] = accel.exp
// CHECK: %[[DX:.+]] = accel.select %{{.+}}, %{{.+}}, %[[P]] : tensor<4x24xi1>, tensor<4x24xf32>
// CHECK: %[[COLUMN:.+]] = accel.iota 1 : tensor<4x24xi64>
// CHECK: %[[THERE:.+]] = accel.compare lt, %[[COLUMN]], %[[END]]
// CHECK: %[[KEPT:.+]] = accel.select %[[THERE]], %[[DX]], %[[ZERO]]
// CHECK: %[[LOW:.+]] = accel.cast %[[KEPT]] : tensor<4x24xf32> -> tensor<4x24xbf16>
// CHECK: return %[[LOW]]
func.func @gradient(%wide: tensor<4x24xbf16>, %labels: tensor<4xi64>, %lse: tensor<4xf32>) -> tensor<4x24xbf16> {
  %minus = accel.constant dense<-1.0> : tensor<4x23xf32>
  %x = accel.slice %wide [0, 0] strides [1, 1] : tensor<4x24xbf16> -> tensor<4x23xbf16>
  %f = accel.cast %x : tensor<4x23xbf16> -> tensor<4x23xf32>
  %column = accel.iota 1 : tensor<4x23xi64>
  %label = accel.broadcast %labels [0] : tensor<4xi64> -> tensor<4x23xi64>
  %hit = accel.compare eq, %column, %label : tensor<4x23xi64> -> tensor<4x23xi1>
  %l = accel.broadcast %lse [0] : tensor<4xf32> -> tensor<4x23xf32>
  %d = accel.sub %f, %l : tensor<4x23xf32>
  %p = accel.exp %d : tensor<4x23xf32>
  %q = accel.add %p, %minus : tensor<4x23xf32>
  %dx = accel.select %hit, %q, %p : tensor<4x23xi1>, tensor<4x23xf32>
  %low = accel.cast %dx : tensor<4x23xf32> -> tensor<4x23xbf16>
  %padded = accel.pad %low [0, 0] strides [1, 1] : tensor<4x23xbf16> -> tensor<4x24xbf16>
  return %padded : tensor<4x24xbf16>
}

// Rows are padded like columns, and both at once.
// CHECK-LABEL: func @rows
// CHECK-NOT: accel.pad
// CHECK: accel.select {{.*}} : tensor<24x24xi1>, tensor<24x24xf32>
// CHECK: accel.select {{.*}} : tensor<24x24xi1>, tensor<24x24xf32>
func.func @rows(%wide: tensor<24x24xf32>) -> tensor<24x24xf32> {
  %x = accel.slice %wide [0, 0] strides [1, 1] : tensor<24x24xf32> -> tensor<23x23xf32>
  %y = accel.exp %x : tensor<23x23xf32>
  %padded = accel.pad %y [0, 0] strides [1, 1] : tensor<23x23xf32> -> tensor<24x24xf32>
  return %padded : tensor<24x24xf32>
}

// What would have to be padded itself.
// CHECK-LABEL: func @operand
// CHECK: accel.pad
func.func @operand(%wide: tensor<4x24xf32>, %bias: tensor<23xf32>, %whole: tensor<4x23xf32>) -> (tensor<4x24xf32>, tensor<4x24xf32>) {
  %x = accel.slice %wide [0, 0] strides [1, 1] : tensor<4x24xf32> -> tensor<4x23xf32>
  %b = accel.broadcast %bias [1] : tensor<23xf32> -> tensor<4x23xf32>
  %y = accel.add %x, %b : tensor<4x23xf32>
  %padded = accel.pad %y [0, 0] strides [1, 1] : tensor<4x23xf32> -> tensor<4x24xf32>
  // CHECK: accel.pad
  %z = accel.exp %whole : tensor<4x23xf32>
  %other = accel.pad %z [0, 0] strides [1, 1] : tensor<4x23xf32> -> tensor<4x24xf32>
  return %padded, %other : tensor<4x24xf32>, tensor<4x24xf32>
}

// A part that does not begin where its row begins.
// CHECK-LABEL: func @shifted
// CHECK: accel.pad
func.func @shifted(%wide: tensor<4x24xf32>) -> tensor<4x24xf32> {
  %x = accel.slice %wide [0, 1] strides [1, 1] : tensor<4x24xf32> -> tensor<4x23xf32>
  %y = accel.exp %x : tensor<4x23xf32>
  %padded = accel.pad %y [0, 0] strides [1, 1] : tensor<4x23xf32> -> tensor<4x24xf32>
  return %padded : tensor<4x24xf32>
}

// Half of what it would compute is cut off: a gradient of a slice.
// CHECK-LABEL: func @long
// CHECK: accel.pad
func.func @long(%wide: tensor<4x24xf32>) -> tensor<4x24xf32> {
  %x = accel.slice %wide [0, 0] strides [1, 1] : tensor<4x24xf32> -> tensor<4x12xf32>
  %y = accel.exp %x : tensor<4x12xf32>
  %padded = accel.pad %y [0, 0] strides [1, 1] : tensor<4x12xf32> -> tensor<4x24xf32>
  return %padded : tensor<4x24xf32>
}

// It would be computed twice.
// CHECK-LABEL: func @read
// CHECK: accel.pad
func.func @read(%wide: tensor<4x24xf32>) -> (tensor<4x24xf32>, tensor<4xf32>) {
  %x = accel.slice %wide [0, 0] strides [1, 1] : tensor<4x24xf32> -> tensor<4x23xf32>
  %y = accel.exp %x : tensor<4x23xf32>
  %padded = accel.pad %y [0, 0] strides [1, 1] : tensor<4x23xf32> -> tensor<4x24xf32>
  %sum = accel.reduce_sum %y [1] : tensor<4x23xf32> -> tensor<4xf32>
  return %padded, %sum : tensor<4x24xf32>, tensor<4xf32>
}

// Which elements are dropped depends on their number.
// CHECK-LABEL: func @dropped
// CHECK: accel.pad
func.func @dropped(%wide: tensor<4x24xf32>, %samples: tensor<4xi64>, %seed: tensor<i64>) -> tensor<4x24xf32> {
  %x = accel.slice %wide [0, 0] strides [1, 1] : tensor<4x24xf32> -> tensor<4x23xf32>
  %y = accel.dropout %x, %samples, %seed probability 0.1 site 3 : tensor<4x23xf32>, tensor<4xi64>, tensor<i64>
  %padded = accel.pad %y [0, 0] strides [1, 1] : tensor<4x23xf32> -> tensor<4x24xf32>
  return %padded : tensor<4x24xf32>
}

// PRODUCTS-LABEL: func @head
// PRODUCTS: %[[W:.+]] = accel.pad
// PRODUCTS-NOT: accel.pad
// PRODUCTS: %[[Y:.+]] = accel.cast {{.*}} : tensor<1100x1008xf32> -> tensor<1100x1008xbf16>
// PRODUCTS: %[[G:.+]] = accel.cast {{.*}} : tensor<1100x1008xf32> -> tensor<1100x1008xbf16>
// PRODUCTS: accel.matmul %[[G]], %[[W]] as input_gradient
func.func @head(%x: tensor<1100x512xbf16>, %w: tensor<1001x512xbf16>, %lse: tensor<1100xf32>) -> tensor<1100x512xf32> {
  %sums = accel.matmul %x, %w {transpose_rhs} : tensor<1100x512xbf16>, tensor<1001x512xbf16> -> tensor<1100x1001xf32>
  %y = accel.cast %sums : tensor<1100x1001xf32> -> tensor<1100x1001xbf16>
  %f = accel.cast %y : tensor<1100x1001xbf16> -> tensor<1100x1001xf32>
  %l = accel.broadcast %lse [0] : tensor<1100xf32> -> tensor<1100x1001xf32>
  %d = accel.sub %f, %l : tensor<1100x1001xf32>
  %p = accel.exp %d : tensor<1100x1001xf32>
  %g = accel.cast %p : tensor<1100x1001xf32> -> tensor<1100x1001xbf16>
  %dx = accel.matmul %g, %w as input_gradient : tensor<1100x1001xbf16>, tensor<1001x512xbf16> -> tensor<1100x512xf32>
  return %dx : tensor<1100x512xf32>
}
