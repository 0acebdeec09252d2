// RUN: accel-opt %s --accel-fold-constants --split-input-file | FileCheck %s
// RUN: accel-opt %s --accel-fold-constants=max-elements=3 --split-input-file | FileCheck %s --check-prefix=BOUND

// A causal mask, written as arithmetic on indices, becomes the constant that it is.
// CHECK-LABEL: func @mask
// CHECK-NEXT: %[[MASK:.+]] = accel.constant dense<{{\[}}[true, false], [true, true]]> : tensor<2x2xi1>
// CHECK-NEXT: return %[[MASK]]
// A result that is too large stays arithmetic.
// BOUND-LABEL: func @mask
// BOUND: accel.iota 0
// BOUND: accel.compare
func.func @mask() -> tensor<2x2xi1> {
  %r = accel.iota 0 : tensor<2x2xi64>
  %c = accel.iota 1 : tensor<2x2xi64>
  %m = accel.compare le, %c, %r : tensor<2x2xi64> -> tensor<2x2xi1>
  return %m : tensor<2x2xi1>
}

// -----

// Every result is rounded to its element type: 1/3 in f32, not in double.
// CHECK-LABEL: func @rounding
// CHECK-NEXT: accel.constant dense<0.333333343> : tensor<f32>
func.func @rounding() -> tensor<f32> {
  %one = accel.constant dense<1.0> : tensor<f32>
  %three = accel.constant dense<3.0> : tensor<f32>
  %third = accel.div %one, %three : tensor<f32>
  return %third : tensor<f32>
}

// -----

// What an exporter builds masks of: CumSum and GatherND over constants.
// CHECK-LABEL: func @exporter
// CHECK-NEXT: accel.constant dense<[3, 1]> : tensor<2xi64>
func.func @exporter() -> tensor<2xi64> {
  %x = accel.constant dense<[1, 1, 1]> : tensor<3xi64>
  %sum = accel.cumsum %x axis 0 : tensor<3xi64>
  %i = accel.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %y = accel.gather_nd %sum, %i batch_dims 0 : tensor<3xi64>, tensor<2x1xi64> -> tensor<2xi64>
  return %y : tensor<2xi64>
}

// -----

// A broadcast of a constant stays a broadcast, an index that an input meets stays an index; both are cheaper than constants.
// CHECK-LABEL: func @cheap
// CHECK-SAME: %[[X:.+]]: tensor<4x3xi64>
// CHECK-DAG: %[[ROW:.+]] = accel.constant dense<[0, 2, 4]> : tensor<3xi64>
// CHECK-DAG: %[[REPEATED:.+]] = accel.broadcast %[[ROW]] [1]
// CHECK-DAG: %[[INDEX:.+]] = accel.iota 1
// CHECK-DAG: %[[SUM:.+]] = accel.add %[[X]], %[[REPEATED]]
// CHECK: accel.add %[[SUM]], %[[INDEX]]
func.func @cheap(%x: tensor<4x3xi64>) -> tensor<4x3xi64> {
  %i = accel.iota 0 : tensor<3xi64>
  %twice = accel.add %i, %i : tensor<3xi64>
  %b = accel.broadcast %twice [1] : tensor<3xi64> -> tensor<4x3xi64>
  %y = accel.add %x, %b : tensor<4x3xi64>
  %j = accel.iota 1 : tensor<4x3xi64>
  %z = accel.add %y, %j : tensor<4x3xi64>
  return %z : tensor<4x3xi64>
}

// -----

// A value that a broadcast and another constant read is evaluated once and serves both.
// CHECK-LABEL: func @shared
// CHECK-DAG: %[[ROW:.+]] = accel.constant dense<[0, 2, 4]> : tensor<3xi64>
// CHECK-DAG: accel.broadcast %[[ROW]] [1]
// CHECK-DAG: accel.constant dense<[0, 4, 8]> : tensor<3xi64>
func.func @shared(%x: tensor<4x3xi64>, %y: tensor<3xi64>) -> (tensor<4x3xi64>, tensor<3xi64>) {
  %i = accel.iota 0 : tensor<3xi64>
  %twice = accel.add %i, %i : tensor<3xi64>
  %b = accel.broadcast %twice [1] : tensor<3xi64> -> tensor<4x3xi64>
  %u = accel.add %x, %b : tensor<4x3xi64>
  %slice = accel.slice %b [0, 0] strides [1, 1] : tensor<4x3xi64> -> tensor<1x3xi64>
  %flat = accel.reshape %slice : tensor<1x3xi64> -> tensor<3xi64>
  %four = accel.add %flat, %twice : tensor<3xi64>
  %v = accel.add %y, %four : tensor<3xi64>
  return %u, %v : tensor<4x3xi64>, tensor<3xi64>
}

// -----

accel.parameter @w : tensor<2xf32> trainable
// Parameters are not constants, nor is what depends on inputs.
// CHECK-LABEL: func @parameters
// CHECK: accel.read @w
// CHECK: accel.mul
// CHECK: accel.add
func.func @parameters(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = accel.read @w : tensor<2xf32>
  %two = accel.constant dense<2.0> : tensor<2xf32>
  %y = accel.mul %w, %two : tensor<2xf32>
  %z = accel.add %y, %x : tensor<2xf32>
  return %z : tensor<2xf32>
}
