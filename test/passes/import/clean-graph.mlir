// RUN: accel-opt %s --accel-clean-graph --split-input-file | FileCheck %s

accel.parameter @w : tensor<16x8xf32> trainable
// The transposed weight of a linear layer becomes a flag of the product; dead operations disappear.
// CHECK-LABEL: func @linear
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>
// CHECK-NEXT: %[[W:.+]] = accel.read @w
// CHECK-NEXT: %[[Y:.+]] = accel.matmul %[[X]], %[[W]] {transpose_rhs}
// CHECK-NEXT: return %[[Y]]
func.func @linear(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %w = accel.read @w : tensor<16x8xf32>
  %t = accel.transpose %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %dead = accel.neg %t : tensor<8x16xf32>
  %y = accel.matmul %x, %t : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

// What is exact stays so.
// CHECK-LABEL: func @exact
// CHECK: accel.matmul %{{.+}}, %{{.+}} {exact, transpose_rhs}
func.func @exact(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %t = accel.transpose %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %y = accel.matmul %x, %t {exact} : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

// Three transposes are one, which becomes a flag; a flag that is there already is taken back.
// CHECK-LABEL: func @twice
// CHECK-SAME: %[[X:.+]]: tensor<8x4xf32>, %[[W:.+]]: tensor<8x16xf32>
// CHECK-NEXT: accel.matmul %[[X]], %[[W]] {transpose_lhs} :
func.func @twice(%x: tensor<8x4xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %t = accel.transpose %x [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %tt = accel.transpose %t [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %ttt = accel.transpose %tt [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %v = accel.transpose %w [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
  %y = accel.matmul %ttt, %v {transpose_rhs} : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

// The keys of attention: flattened, transposed, unflattened, and before that split into heads. One transpose remains, and the
// last dimension stays contiguous.
// CHECK-LABEL: func @keys
// CHECK-SAME: %[[Q:.+]]: tensor<2x3x5x4xf32>, %[[K:.+]]: tensor<2x5x3x4xf32>
// CHECK-NEXT: %[[HEADS:.+]] = accel.transpose %[[K]] [0, 2, 1, 3]
// CHECK-NEXT: accel.matmul %[[Q]], %[[HEADS]] {transpose_rhs}
func.func @keys(%q: tensor<2x3x5x4xf32>, %k: tensor<2x5x3x4xf32>) -> tensor<2x3x5x5xf32> {
  %h = accel.transpose %k [0, 2, 1, 3] : tensor<2x5x3x4xf32> -> tensor<2x3x5x4xf32>
  %f = accel.reshape %h : tensor<2x3x5x4xf32> -> tensor<6x5x4xf32>
  %t = accel.transpose %f [0, 2, 1] : tensor<6x5x4xf32> -> tensor<6x4x5xf32>
  %u = accel.reshape %t : tensor<6x4x5xf32> -> tensor<2x3x4x5xf32>
  %s = accel.matmul %q, %u : tensor<2x3x5x4xf32>, tensor<2x3x4x5xf32> -> tensor<2x3x5x5xf32>
  return %s : tensor<2x3x5x5xf32>
}

// -----

// A transpose that only splits heads stays as it is: the last dimension does not move.
// CHECK-LABEL: func @heads
// CHECK: accel.transpose
// CHECK: accel.matmul %{{.+}}, %{{.+}} : tensor
func.func @heads(%p: tensor<2x3x5x5xf32>, %v: tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32> {
  %h = accel.transpose %v [0, 2, 1, 3] : tensor<2x5x3x4xf32> -> tensor<2x3x5x4xf32>
  %y = accel.matmul %p, %h : tensor<2x3x5x5xf32>, tensor<2x3x5x4xf32> -> tensor<2x3x5x4xf32>
  return %y : tensor<2x3x5x4xf32>
}

// -----

// Views that cancel out, and views that other shapes keep apart.
// CHECK-LABEL: func @views
// CHECK-SAME: %[[X:.+]]: tensor<2x6xf32>
// CHECK-NEXT: %[[Y:.+]] = accel.neg %[[X]]
// CHECK-NEXT: %[[Z:.+]] = accel.reshape %[[X]] : tensor<2x6xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @views(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<4x3xf32>) {
  %a = accel.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  %b = accel.reshape %a : tensor<12xf32> -> tensor<2x6xf32>
  %y = accel.neg %b : tensor<2x6xf32>
  %z = accel.reshape %a : tensor<12xf32> -> tensor<4x3xf32>
  return %y, %z : tensor<2x6xf32>, tensor<4x3xf32>
}

// -----

// The same twice is done once; dropouts of different sites are not the same.
// CHECK-LABEL: func @repeated
// CHECK-COUNT-1: accel.exp
// CHECK-NOT: accel.exp
// CHECK-COUNT-2: accel.dropout
func.func @repeated(%x: tensor<4x8xf32>, %s: tensor<2xi64>, %seed: tensor<i64>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = accel.exp %x : tensor<4x8xf32>
  %b = accel.exp %x : tensor<4x8xf32>
  %c = accel.dropout %a, %s, %seed probability 0.1 site 1 : tensor<4x8xf32>, tensor<2xi64>, tensor<i64>
  %d = accel.dropout %b, %s, %seed probability 0.1 site 2 : tensor<4x8xf32>, tensor<2xi64>, tensor<i64>
  return %c, %d : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A gather of all rows in their order is a view; one of other rows, or of fewer, is not.
// CHECK-LABEL: func @all_rows
// CHECK-SAME: %[[X:.+]]: tensor<4x2xf32>
// CHECK: accel.reshape %[[X]] : tensor<4x2xf32> -> tensor<2x2x2xf32>
// CHECK: accel.gather
// CHECK: accel.gather
// CHECK-NOT: accel.gather
func.func @all_rows(%x: tensor<4x2xf32>) -> (tensor<2x2x2xf32>, tensor<4x2xf32>, tensor<2x2xf32>) {
  %all = accel.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>
  %a = accel.gather %x, %all : tensor<4x2xf32>, tensor<2x2xi64> -> tensor<2x2x2xf32>
  %swapped = accel.constant dense<[1, 0, 2, 3]> : tensor<4xi64>
  %b = accel.gather %x, %swapped : tensor<4x2xf32>, tensor<4xi64> -> tensor<4x2xf32>
  %first = accel.constant dense<[0, 1]> : tensor<2xi64>
  %c = accel.gather %x, %first : tensor<4x2xf32>, tensor<2xi64> -> tensor<2x2xf32>
  return %a, %b, %c : tensor<2x2x2xf32>, tensor<4x2xf32>, tensor<2x2xf32>
}
