// RUN: accel-opt --run=f --split-input-file %s | FileCheck %s

// Moving elements.
// CHECK: result #0: tensor<3x2xi64> = [ [0, 10], [1, 11], [2, 12] ]
// CHECK: result #1: tensor<2x2x3xi64> = [ [ [0, 1, 2], [10, 11, 12] ], [ [0, 1, 2], [10, 11, 12] ] ]
// CHECK: result #2: tensor<2x2xi64> = [ [0, 2], [10, 12] ]
// CHECK: result #3: tensor<3x5xi64> = [ [0, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 10, 0, 11, 0] ]
// CHECK: result #4: tensor<2x1xi64> = [ [0], [10] ]
// CHECK: result #5: tensor<2x2xi64> = [ [1, 2], [11, 12] ]
// CHECK: result #6: tensor<2x3xi64> = [ [1, 2, 0], [11, 12, 10] ]
// CHECK: result #7: tensor<6xi64> = [0, 1, 2, 10, 11, 12]
func.func @f(%x: tensor<2x3xi64> {accel.value = dense<[[0, 1, 2], [10, 11, 12]]> : tensor<2x3xi64>})
    -> (tensor<3x2xi64>, tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<3x5xi64>, tensor<2x1xi64>, tensor<2x2xi64>, tensor<2x3xi64>, tensor<6xi64>) {
  %0 = accel.transpose %x [1, 0] : tensor<2x3xi64> -> tensor<3x2xi64>
  %1 = accel.broadcast %x [1, 2] : tensor<2x3xi64> -> tensor<2x2x3xi64>
  %2 = accel.slice %x [0, 0] strides [1, 2] : tensor<2x3xi64> -> tensor<2x2xi64>
  %first, %second = accel.split %x axis 1 : tensor<2x3xi64> -> tensor<2x1xi64>, tensor<2x2xi64>
  %part = accel.slice %x [0, 0] strides [1, 1] : tensor<2x3xi64> -> tensor<2x2xi64>
  %3 = accel.pad %part [1, 1] strides [1, 2] : tensor<2x2xi64> -> tensor<3x5xi64>
  %6 = accel.concat %second, %first axis 1 : tensor<2x2xi64>, tensor<2x1xi64> -> tensor<2x3xi64>
  %7 = accel.reshape %x : tensor<2x3xi64> -> tensor<6xi64>
  return %0, %1, %2, %3, %first, %second, %6, %7
      : tensor<3x2xi64>, tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<3x5xi64>, tensor<2x1xi64>, tensor<2x2xi64>, tensor<2x3xi64>, tensor<6xi64>
}

// -----

// Reductions and scans.
// CHECK: result #0: tensor<2xf64> = [2, 7]
// CHECK: result #1: tensor<3xf64> = [3, 1, 5]
// CHECK: result #2: tensor<f64> = -2
// CHECK: result #3: tensor<2x3xf64> = [ [1, -1, 2], [2, 5, 7] ]
// CHECK: result #4: tensor<2x3xf64> = [ [0, 1, -1], [0, 2, 5] ]
// CHECK: result #5: tensor<2x3xf64> = [ [3, 1, 5], [2, 3, 2] ]
func.func @f(%x: tensor<2x3xf64> {accel.value = dense<[[1.0, -2.0, 3.0], [2.0, 3.0, 2.0]]> : tensor<2x3xf64>})
    -> (tensor<2xf64>, tensor<3xf64>, tensor<f64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) {
  %0 = accel.reduce_sum %x [1] : tensor<2x3xf64> -> tensor<2xf64>
  %1 = accel.reduce_sum %x [0] : tensor<2x3xf64> -> tensor<3xf64>
  %2 = accel.reduce_min %x [0, 1] : tensor<2x3xf64> -> tensor<f64>
  %3 = accel.cumsum %x axis 1 : tensor<2x3xf64>
  %4 = accel.cumsum %x axis 1 exclusive : tensor<2x3xf64>
  %5 = accel.cumsum %x axis 0 reverse : tensor<2x3xf64>
  return %0, %1, %2, %3, %4, %5 : tensor<2xf64>, tensor<3xf64>, tensor<f64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>
}

// -----

// The same product in all four orientations.
// CHECK: result #0: tensor<2x2xf64> = [ [4, 5], [10, 11] ]
// CHECK: result #1: tensor<2x2xf64> = [ [4, 5], [10, 11] ]
// CHECK: result #2: tensor<2x2xf64> = [ [4, 5], [10, 11] ]
// CHECK: result #3: tensor<2x2xf64> = [ [4, 5], [10, 11] ]
func.func @f(%x: tensor<2x3xf64> {accel.value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>},
             %y: tensor<3x2xf64> {accel.value = dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf64>})
    -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %xt = accel.transpose %x [1, 0] : tensor<2x3xf64> -> tensor<3x2xf64>
  %yt = accel.transpose %y [1, 0] : tensor<3x2xf64> -> tensor<2x3xf64>
  %0 = accel.matmul %x, %y : tensor<2x3xf64>, tensor<3x2xf64> -> tensor<2x2xf64>
  %1 = accel.matmul %xt, %y {transpose_lhs} : tensor<3x2xf64>, tensor<3x2xf64> -> tensor<2x2xf64>
  %2 = accel.matmul %x, %yt {transpose_rhs} : tensor<2x3xf64>, tensor<2x3xf64> -> tensor<2x2xf64>
  %3 = accel.matmul %xt, %yt {transpose_lhs, transpose_rhs} : tensor<3x2xf64>, tensor<2x3xf64> -> tensor<2x2xf64>
  return %0, %1, %2, %3 : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}

// -----

// Tables: rows by index, sums into rows, and tuples with and without a batch, counted from the end where negative.
// CHECK: result #0: tensor<3x2xf64> = [ [5, 6], [1, 2], [5, 6] ]
// CHECK: result #1: tensor<3x2xf64> = [ [1, 2], [0, 0], [10, 12] ]
// CHECK: result #2: tensor<2xf64> = [6, 3]
// CHECK: result #3: tensor<3xf64> = [2, 3, 6]
func.func @f(%t: tensor<3x2xf64> {accel.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>},
             %i: tensor<3xi32> {accel.value = dense<[2, 0, 2]> : tensor<3xi32>},
             %p: tensor<2x2xi64> {accel.value = dense<[[-1, 1], [1, -2]]> : tensor<2x2xi64>},
             %q: tensor<3x1xi64> {accel.value = dense<[[1], [0], [-1]]> : tensor<3x1xi64>})
    -> (tensor<3x2xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<3xf64>) {
  %0 = accel.gather %t, %i : tensor<3x2xf64>, tensor<3xi32> -> tensor<3x2xf64>
  %1 = accel.scatter_add %i, %0 : tensor<3xi32>, tensor<3x2xf64> -> tensor<3x2xf64>
  %2 = accel.gather_nd %t, %p batch_dims 0 : tensor<3x2xf64>, tensor<2x2xi64> -> tensor<2xf64>
  %3 = accel.gather_nd %t, %q batch_dims 1 : tensor<3x2xf64>, tensor<3x1xi64> -> tensor<3xf64>
  return %0, %1, %2, %3 : tensor<3x2xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<3xf64>
}
