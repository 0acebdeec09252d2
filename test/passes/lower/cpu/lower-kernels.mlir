// RUN: accel-opt %s --accel-assign-geometry --accel-lower-kernels --split-input-file | FileCheck %s

// A flat kernel is one loop whose length is known at run time; a single number is loaded once, in front of it.
// CHECK-LABEL: func.func @scale(
// CHECK-LABEL: func.func @scale.code(
// CHECK-SAME:    %[[X:.+]]: memref<3000xf32>, %[[S:.+]]: memref<1xf32>, %[[Y:.+]]: memref<3000xf32>, %[[BEGIN:.+]]: index, %[[END:.+]]: index)
// CHECK:         %[[FIRST:.+]] = arith.muli %[[BEGIN]]
// CHECK-DAG:     %[[SCALAR:.+]] = memref.load %[[S]]
// CHECK-DAG:     %[[PART:.+]] = memref.subview %[[X]][%{{.+}}] [%{{.+}}] [1]
// CHECK:         linalg.generic {{.*}} ins(%[[PART]]
// CHECK:           arith.mulf %{{.+}}, %[[SCALAR]] : f32
func.func @scale(%x: tensor<3000xf32>, %s: tensor<f32>) -> tensor<3000xf32> attributes {
    plan.kernel = {kind = "flat", elements = 3000 : i64, rows = 1 : i64, columns = 3000 : i64}} {
  %b = accel.broadcast %s [] : tensor<f32> -> tensor<3000xf32>
  %y = accel.mul %x, %b : tensor<3000xf32>
  return %y : tensor<3000xf32>
}

// -----

// Softmax: a sweep for the maximum, one for the sum, which leaves the exponentials in the result, and one that scales them.
// CHECK-LABEL: func.func @softmax.code(
// CHECK-SAME:    %[[X:.+]]: memref<320xf32>, %[[Y:.+]]: memref<320xf32>
// CHECK:         scf.for
// CHECK:           linalg.generic {{.+}} iterator_types = ["reduction"]
// CHECK:             arith.maximumf
// CHECK:           linalg.generic {{.+}} iterator_types = ["reduction"]
// CHECK:             math.exp
// CHECK:             arith.addf
// CHECK:           arith.divf
// CHECK:           linalg.generic {{.+}} iterator_types = ["parallel"]
// CHECK-NOT:         math.exp
// CHECK:             arith.mulf
func.func @softmax(%x: tensor<5x64xf32>) -> tensor<5x64xf32> attributes {
    plan.kernel = {kind = "rows", elements = 320 : i64, rows = 5 : i64, columns = 64 : i64}} {
  %m = accel.reduce_max %x [1] : tensor<5x64xf32> -> tensor<5xf32>
  %mb = accel.broadcast %m [0] : tensor<5xf32> -> tensor<5x64xf32>
  %d = accel.sub %x, %mb : tensor<5x64xf32>
  %e = accel.exp %d : tensor<5x64xf32>
  %s = accel.reduce_sum %e [1] : tensor<5x64xf32> -> tensor<5xf32>
  %one = accel.constant dense<1.0> : tensor<5xf32>
  %i = accel.div %one, %s : tensor<5xf32>
  %ib = accel.broadcast %i [0] : tensor<5xf32> -> tensor<5x64xf32>
  %y = accel.mul %e, %ib : tensor<5x64xf32>
  return %y : tensor<5x64xf32>
}

// -----

// The transposition of attention's heads: a row of 16 elements is copied from where quotients and remainders say.
// CHECK-LABEL: func.func @heads.code(
// CHECK:         scf.for %[[ROW:.+]] =
// CHECK-DAG:       arith.divui %[[ROW]]
// CHECK-DAG:       arith.remui
// CHECK:           memref.subview %{{.+}} [16] [1]
// CHECK:           linalg.generic
func.func @heads(%x: tensor<2x5x4x16xf32>) -> tensor<2x4x5x16xf32> attributes {
    plan.kernel = {kind = "rows", elements = 640 : i64, rows = 40 : i64, columns = 16 : i64}} {
  %t = accel.transpose %x [0, 2, 1, 3] : tensor<2x5x4x16xf32> -> tensor<2x4x5x16xf32>
  %y = accel.reshape %t : tensor<2x4x5x16xf32> -> tensor<2x4x5x16xf32>
  return %y : tensor<2x4x5x16xf32>
}

// -----

// A column sum over 100 rows: zeros, then chunks of 32 rows of blocks of 16 columns, and a last block of 6.
// CHECK-LABEL: func.func @bias_gradient.code(
// CHECK:         %[[PARTIAL:.+]] = memref.alloca() : memref<16xf32>
// CHECK:         scf.for
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c32
// CHECK:           scf.for
// CHECK:             memref.subview %[[PARTIAL]][0] [16] [1]
// CHECK:           scf.if
// CHECK:             memref.subview %[[PARTIAL]][0] [6] [1]
func.func @bias_gradient(%x: tensor<100x70xf32>) -> tensor<70xf32> attributes {
    plan.kernel = {kind = "columns", elements = 7000 : i64, rows = 100 : i64, columns = 70 : i64}} {
  %s = accel.reduce_sum %x [0] : tensor<100x70xf32> -> tensor<70xf32>
  return %s : tensor<70xf32>
}

// -----

// The parts of a row one after the other; booleans are bytes.
// CHECK-LABEL: func.func @concat.code(
// CHECK-SAME:    memref<140xi8>, %{{.+}}: memref<40xi8>, %[[RESULT:.+]]: memref<180xi8>
// CHECK:         scf.for
// CHECK:           memref.subview %[[RESULT]][%{{.+}}] [70] [1]
// CHECK:           memref.subview %[[RESULT]][%{{.+}}] [20] [1]
func.func @concat(%x: tensor<2x70xi1>, %y: tensor<2x20xi1>) -> tensor<2x90xi1> attributes {
    plan.kernel = {kind = "concat", elements = 180 : i64, rows = 2 : i64, columns = 90 : i64}} {
  %c = accel.concat %x, %y axis 1 : tensor<2x70xi1>, tensor<2x20xi1> -> tensor<2x90xi1>
  return %c : tensor<2x90xi1>
}

// -----

// Functions that are no kernels stay alone.
// CHECK-LABEL: func.func @plain(
// CHECK-NOT:   plain.code
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Normal numbers come from one function, however many kernels draw some.
// CHECK:         func.func @draw.code(
// CHECK:           func.call @random.normal(
// CHECK:           arith.mulf
// CHECK:         func.func @draw_more.code(
// CHECK:           func.call @random.normal(
// CHECK-DAG:     func.func private @random.normal(%{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64) -> f64
// CHECK-DAG:     func.func private @random.normal.x8(%{{.+}}: vector<8xi64>, {{.+}}) -> vector<8xf64>
func.func @draw(%seed: tensor<i64>) -> tensor<70xf32> attributes {
    plan.kernel = {kind = "flat", elements = 70 : i64, rows = 1 : i64, columns = 70 : i64}} {
  %y = accel.random_normal %seed mean 0.0 deviation 0.02 site 1 : tensor<i64> -> tensor<70xf32>
  return %y : tensor<70xf32>
}
func.func @draw_more(%seed: tensor<i64>) -> tensor<90xf32> attributes {
    plan.kernel = {kind = "flat", elements = 90 : i64, rows = 1 : i64, columns = 90 : i64}} {
  %y = accel.random_normal %seed mean 0.0 deviation 0.1 site 2 : tensor<i64> -> tensor<90xf32>
  return %y : tensor<90xf32>
}
