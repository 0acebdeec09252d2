// Batch norms whose statistics are those of the microbatches of all ranks together.
// RUN: split-file %s %t
// RUN: accel-opt %t/model.mlir --accel-weigh-batch-norm=synchronized=true | FileCheck %t/model.mlir --check-prefix=WEIGH
// RUN: accel-opt %t/model.mlir --accel-weigh-batch-norm | FileCheck %t/model.mlir --check-prefix=ALONE
// RUN: accel-opt %t/rows.mlir --accel-weigh-batch-norm | FileCheck %t/rows.mlir
// RUN: accel-opt %t/model.mlir --accel-weigh-batch-norm=synchronized=true --accel-expand-batch-norm | FileCheck %t/model.mlir --check-prefix=EXPAND
// RUN: accel-opt %t/trained.mlir --accel-differentiate="objective=mse synchronized-batch-norm=true" | FileCheck %t/trained.mlir
// A rank alone has the statistics, and moves the running ones, as without the flag.
// RUN: accel-opt %t/run.mlir --accel-weigh-batch-norm --accel-expand-batch-norm | accel-opt --run=microbatch > %t/alone.txt
// RUN: accel-opt %t/run.mlir --accel-weigh-batch-norm=synchronized=true --accel-expand-batch-norm | accel-opt --run=microbatch > %t/synchronized.txt
// RUN: diff %t/alone.txt %t/synchronized.txt

//--- model.mlir
// One element of a channel has no variance, so two samples are needed: of a microbatch, or of all ranks' microbatches.
// WEIGH: module attributes {accel.batch = 2 : i64, accel.least_samples = 2 : i64, accel.synchronized_statistics}
// WEIGH: accel.batch_norm {{.*}} weights %{{.+}} along 0 epsilon 1.000000e-05 momentum 1.000000e-01 synchronized
// ALONE: module attributes {accel.batch = 2 : i64, accel.least_samples = 2 : i64} {
// ALONE-NOT: synchronized
// What statistics consist of is added up where it is complete: elements, their sum, their squared differences from the mean of all ranks. Of the way that
// running statistics go in an iteration each rank has the part of its own elements.
// EXPAND: %[[ROWS:.+]] = accel.reduce_sum
// EXPAND: %[[ALL:.+]] = accel.sum_over_ranks %[[ROWS]] : tensor<f32>
// EXPAND: %[[COUNT:.+]] = accel.mul %[[ALL]]
// EXPAND: %[[SUM:.+]] = accel.reduce_sum
// EXPAND: accel.sum_over_ranks %[[SUM]] : tensor<4xf32>
// EXPAND: %[[SQUARES:.+]] = accel.reduce_sum
// EXPAND: accel.sum_over_ranks %[[SQUARES]] : tensor<4xf32>
// EXPAND: accel.input "iterations_behind" : tensor<f32>
// EXPAND: %[[MOST:.+]] = accel.max %[[COUNT]]
// EXPAND: accel.reduce_sum
// EXPAND: %[[OWN:.+]] = accel.mul %
// EXPAND: accel.div %[[OWN]], %[[MOST]]
// EXPAND: accel.accumulate @mean
// EXPAND: accel.accumulate @variance
// EXPAND-NOT: accel.sum_over_ranks
module attributes {accel.batch = 2 : i64} {
  accel.parameter @mean : tensor<4xf32> statistic
  accel.parameter @variance : tensor<4xf32> statistic
  func.func @microbatch(%x: tensor<2x4xf32> {accel.name = "x"}, %g: tensor<4xf32> {accel.name = "g"}) -> tensor<2x4xf32> {
    %m = accel.read @mean : tensor<4xf32>
    %v = accel.read @variance : tensor<4xf32>
    %y:3 = accel.batch_norm %x, %g, %g, %m, %v along 0 epsilon 1.0e-5 momentum 0.1 : tensor<2x4xf32>, tensor<4xf32>
    return %y#0 : tensor<2x4xf32>
  }
}

//--- rows.mlir
// Three elements of a channel are enough of one sample.
// CHECK: module attributes {accel.batch = 2 : i64} {
module attributes {accel.batch = 2 : i64} {
  accel.parameter @mean : tensor<4xf32> statistic
  accel.parameter @variance : tensor<4xf32> statistic
  func.func @microbatch(%x: tensor<2x4x3xf32> {accel.name = "x"}, %g: tensor<4xf32> {accel.name = "g"}) -> tensor<2x4x3xf32> {
    %m = accel.read @mean : tensor<4xf32>
    %v = accel.read @variance : tensor<4xf32>
    %y:3 = accel.batch_norm %x, %g, %g, %m, %v along 0 epsilon 1.0e-5 momentum 0.1 : tensor<2x4x3xf32>, tensor<4xf32>
    return %y#0 : tensor<2x4x3xf32>
  }
}

//--- trained.mlir
// The gradient of what is normalised needs both sums of all ranks, in one message; those of scale and bias stay the rank's own until the step adds them up.
// CHECK: accel.accumulate @b, %[[BIAS:[0-9]+]]
// CHECK: accel.accumulate @g, %[[SCALE:[0-9]+]]
// CHECK: accel.concat %[[BIAS]], %[[SCALE]] axis 0
// CHECK: accel.sum_over_ranks %{{.+}} : tensor<8xf32>
module attributes {accel.batch = 2 : i64} {
  accel.parameter @w : tensor<4x4xf32> trainable
  accel.parameter @g : tensor<4xf32> trainable
  accel.parameter @b : tensor<4xf32> trainable
  accel.parameter @mean : tensor<4xf32> statistic
  accel.parameter @variance : tensor<4xf32> statistic
  func.func @forward(%x: tensor<2x4xf32> {accel.name = "x"}) -> (tensor<2x4xf32> {accel.name = "y"}) {
    %w = accel.read @w : tensor<4x4xf32>
    %g = accel.read @g : tensor<4xf32>
    %b = accel.read @b : tensor<4xf32>
    %m = accel.read @mean : tensor<4xf32>
    %v = accel.read @variance : tensor<4xf32>
    %p = accel.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
    %y:3 = accel.batch_norm %p, %g, %b, %m, %v along 0 epsilon 1.0e-5 momentum 0.1 : tensor<2x4xf32>, tensor<4xf32>
    return %y#0 : tensor<2x4xf32>
  }
}

//--- run.mlir
module attributes {accel.batch = 3 : i64} {
  accel.parameter @mean : tensor<3xf32> statistic {accel.value = dense<[0.5, 0.25, -0.125]> : tensor<3xf32>}
  accel.parameter @variance : tensor<3xf32> statistic {accel.value = dense<[1.0, 2.0, 4.0]> : tensor<3xf32>}
  func.func @microbatch(%x: tensor<3x3xf32> {accel.name = "x", accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7], [0.11, -0.3, 0.52]]> : tensor<3x3xf32>}, %g: tensor<3xf32> {accel.name = "g", accel.value = dense<[0.783, 0.974, 0.427]> : tensor<3xf32>}, %b: tensor<3xf32> {accel.name = "b", accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf32>}) -> tensor<3x3xf32> {
    %m = accel.read @mean : tensor<3xf32>
    %v = accel.read @variance : tensor<3xf32>
    %y:3 = accel.batch_norm %x, %g, %b, %m, %v along 0 epsilon 1.0e-5 momentum 0.1 : tensor<3x3xf32>, tensor<3xf32>
    return %y#0 : tensor<3x3xf32>
  }
}
