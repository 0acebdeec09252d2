// RUN: split-file %s %t
// RUN: accel-opt %t/positions.mlir --accel-place-dropout | FileCheck %t/positions.mlir
// RUN: accel-opt %t/front.mlir --accel-place-dropout | FileCheck %t/front.mlir
// RUN: accel-opt %t/positions.mlir --accel-place-dropout | accel-opt --accel-place-dropout | FileCheck %t/positions.mlir

//--- positions.mlir
// Positions lie in front of samples: samples are moved in front of dropout, and back behind it, whatever the shape is by then.
// CHECK: %[[T:.+]] = accel.transpose %arg0 [1, 0, 2]
// CHECK: %[[ROWS:.+]] = accel.reshape %[[T]] : tensor<6x2x8xf32> -> tensor<12x8xf32>
// CHECK: %[[BLOCKS:.+]] = accel.reshape %[[ROWS]] : tensor<12x8xf32> -> tensor<6x2x8xf32>
// CHECK: %[[FRONT:.+]] = accel.transpose %[[BLOCKS]] [1, 0, 2] : tensor<6x2x8xf32> -> tensor<2x6x8xf32>
// CHECK: %[[D:.+]] = accel.dropout %[[FRONT]], %{{.+}}, %{{.+}} probability 1.000000e-01 site 3 : tensor<2x6x8xf32>, tensor<2xi64>, tensor<i64>
// CHECK: %[[BACK:.+]] = accel.transpose %[[D]] [1, 0, 2] : tensor<2x6x8xf32> -> tensor<6x2x8xf32>
// CHECK: %[[Y:.+]] = accel.reshape %[[BACK]] : tensor<6x2x8xf32> -> tensor<12x8xf32>
// CHECK-NOT: accel.dropout
// CHECK: return %[[Y]]
module attributes {accel.batch = 2 : i64} {
  func.func @forward(%x: tensor<2x6x8xf32> {accel.name = "x"}) -> (tensor<12x8xf32> {accel.name = "y"}) {
    %samples = accel.input "sample_indices" : tensor<2xi64>
    %seed = accel.input "seed" : tensor<i64>
    %t = accel.transpose %x [1, 0, 2] : tensor<2x6x8xf32> -> tensor<6x2x8xf32>
    %rows = accel.reshape %t : tensor<6x2x8xf32> -> tensor<12x8xf32>
    %d = accel.dropout %rows, %samples, %seed probability 0.1 site 3 : tensor<12x8xf32>, tensor<2xi64>, tensor<i64>
    return %d : tensor<12x8xf32>
  }
}

//--- front.mlir
// Nothing is moved where samples are in front, heads behind them or not, nor where they are mixed.
// CHECK-NOT: accel.transpose
module attributes {accel.batch = 2 : i64} {
  func.func @forward(%x: tensor<2x6x8xf32> {accel.name = "x"}) -> (tensor<12x8xf32> {accel.name = "y"}, tensor<6x8xf32> {accel.name = "z"}) {
    %samples = accel.input "sample_indices" : tensor<2xi64>
    %seed = accel.input "seed" : tensor<i64>
    %rows = accel.reshape %x : tensor<2x6x8xf32> -> tensor<12x8xf32>
    %d = accel.dropout %rows, %samples, %seed probability 0.1 site 3 : tensor<12x8xf32>, tensor<2xi64>, tensor<i64>
    %sum = accel.reduce_sum %x [0] : tensor<2x6x8xf32> -> tensor<6x8xf32>
    %e = accel.dropout %sum, %samples, %seed probability 0.1 site 4 : tensor<6x8xf32>, tensor<2xi64>, tensor<i64>
    return %d, %e : tensor<12x8xf32>, tensor<6x8xf32>
  }
}
