// RUN: split-file %s %t
// RUN: accel-opt %t/weigh.mlir --accel-weigh-batch-norm | FileCheck %t/weigh.mlir
// RUN: accel-opt %t/expand.mlir --accel-expand-batch-norm | FileCheck %t/expand.mlir
// RUN: accel-opt %t/expand.mlir --accel-expand-batch-norm --canonicalize | FileCheck %t/expand.mlir --check-prefix=NONE
// RUN: accel-opt %t/run.mlir --accel-weigh-batch-norm --accel-expand-batch-norm | accel-opt --run=microbatch | FileCheck %t/run.mlir
// RUN: accel-opt %t/layout.mlir --accel-differentiate | FileCheck %t/layout.mlir
// RUN: accel-opt %t/padding.mlir --accel-expand-batch-norm | accel-opt --run=microbatch | FileCheck %t/padding.mlir
// RUN: not accel-opt %t/expand.mlir --accel-weigh-batch-norm 2>&1 | FileCheck %s --check-prefix=BATCH
// BATCH: error: expected a function @microbatch and attribute 'accel.batch', got no attribute

//--- weigh.mlir
// Three positions of two samples lie in one dimension: each has the weight of its sample. Where samples are mixed, nothing is padding.
// CHECK-LABEL: @microbatch
// CHECK: %[[W:.+]] = accel.input "sample_weights" : tensor<2xf32>
// CHECK: %[[EACH:.+]] = accel.broadcast %[[W]] [1] : tensor<2xf32> -> tensor<1x2x3xf32>
// CHECK: %[[FLAT:.+]] = accel.reshape %[[EACH]] : tensor<1x2x3xf32> -> tensor<6xf32>
// CHECK: accel.batch_norm %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} weights %[[FLAT]] along 0
// CHECK: accel.batch_norm %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} along 0
module attributes {accel.batch = 2 : i64} {
  accel.parameter @g : tensor<4xf32> trainable
  func.func @microbatch(%x: tensor<2x3x4xf32> {accel.name = "x"}) -> (tensor<6x4xf32>, tensor<2x4xf32>) {
    %g = accel.read @g : tensor<4xf32>
    %rows = accel.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
    %y:3 = accel.batch_norm %rows, %g, %g, %g, %g along 0 epsilon 1.0e-5 momentum 0.1 : tensor<6x4xf32>, tensor<4xf32>
    %mixed = accel.cumsum %x axis 0 : tensor<2x3x4xf32>
    %sum = accel.reduce_sum %mixed [1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
    %z:3 = accel.batch_norm %sum, %g, %g, %g, %g along 0 epsilon 1.0e-5 momentum 0.1 : tensor<2x4xf32>, tensor<4xf32>
    return %y#0, %z#0 : tensor<6x4xf32>, tensor<2x4xf32>
  }
}

//--- expand.mlir
// The result chooses by what the function is for; each statistic gets a share of the way to that of the microbatch.
// CHECK-LABEL: @microbatch
// CHECK: accel.input "training" : tensor<i1>
// CHECK: accel.select
// CHECK: accel.input "training" : tensor<i1>
// CHECK: accel.select
// CHECK: accel.input "microbatches_behind" : tensor<f32>
// CHECK: accel.accumulate @mean
// CHECK: accel.accumulate @variance
// NONE-NOT: accel.batch_norm
module {
  accel.parameter @mean : tensor<4xf32> statistic
  accel.parameter @variance : tensor<4xf32> statistic
  func.func @microbatch(%x: tensor<2x4xf32> {accel.name = "x"}, %g: tensor<4xf32> {accel.name = "g"}) -> tensor<2x4xf32> {
    %m = accel.read @mean : tensor<4xf32>
    %v = accel.read @variance : tensor<4xf32>
    %y:3 = accel.batch_norm %x, %g, %g, %m, %v along 0 epsilon 1.0e-5 momentum 0.1 : tensor<2x4xf32>, tensor<4xf32>
    return %y#0 : tensor<2x4xf32>
  }
}

//--- run.mlir
// torch.nn.functional.batch_norm(x, mean, variance, scale, bias, True, 0.1, 1e-5) with mean = (0.5, 0.25, -0.125) and variance = (1, 2, 4): its result, and
// how far it moves both.
// CHECK: result #0: tensor<3x3xf32> = [ [1.38648, 0.0709406, 0.557301], [0.306599, 2.09355, 0.709243], [-0.526079, -0.0134949, 1.52946] ]
// CHECK: mean: {{.*}}[0.0032, -0.0169333, -0.0243667]
// CHECK: variance: {{.*}}[-0.0804436, -0.161359, -0.339493]
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

//--- layout.mlir
// Transposes that bring channels to the front of a batch norm, and back, are gone: forward and gradient have the channels last.
// CHECK-LABEL: @microbatch
// CHECK-NOT: accel.transpose
// CHECK: accel.reduce_sum %{{.+}} [0, 1, 2] : tensor<2x3x3x4xf32> -> tensor<4xf32>
// CHECK-NOT: accel.transpose
module attributes {accel.batch = 2 : i64} {
  accel.parameter @g : tensor<4xf32> trainable
  accel.parameter @b : tensor<4xf32> trainable
  accel.parameter @w : tensor<36x3xf32> trainable
  func.func @forward(%x: tensor<2x3x3x4xf32> {accel.name = "x"}) -> (tensor<2x3xf32> {accel.name = "logits"}) {
    %g = accel.read @g : tensor<4xf32>
    %b = accel.read @b : tensor<4xf32>
    %w = accel.read @w : tensor<36x3xf32>
    %zero = accel.constant dense<0.0> : tensor<4xf32>
    %one = accel.constant dense<1.0> : tensor<4xf32>
    %first = accel.transpose %x [0, 3, 1, 2] : tensor<2x3x3x4xf32> -> tensor<2x4x3x3xf32>
    %y, %m, %v = accel.batch_norm %first, %g, %b, %zero, %one along 0 epsilon 1.0e-5 momentum 0.1 : tensor<2x4x3x3xf32>, tensor<4xf32>
    %r = accel.relu %y : tensor<2x4x3x3xf32>
    %last = accel.transpose %r [0, 2, 3, 1] : tensor<2x4x3x3xf32> -> tensor<2x3x3x4xf32>
    %flat = accel.reshape %last : tensor<2x3x3x4xf32> -> tensor<2x36xf32>
    %logits = accel.matmul %flat, %w : tensor<2x36xf32>, tensor<36x3xf32> -> tensor<2x3xf32>
    return %logits : tensor<2x3xf32>
  }
}

//--- padding.mlir
// A microbatch that is all padding has no variance: its rows become the bias, layer behind layer, and never infinite; statistics stay.
// CHECK: result #0: tensor<2x2xf32> = [ [0.389, 0.717], [0.389, 0.717] ]
// CHECK: mean: {{.*}}[0, 0]
// CHECK: variance: {{.*}}[0, 0]
module {
  accel.parameter @mean : tensor<2xf32> statistic {accel.value = dense<[0.5, 0.25]> : tensor<2xf32>}
  accel.parameter @variance : tensor<2xf32> statistic {accel.value = dense<[1.0, 2.0]> : tensor<2xf32>}
  func.func @microbatch(%x: tensor<2x2xf32> {accel.name = "x", accel.value = dense<[[0.992, -0.256], [0.494, 0.798]]> : tensor<2x2xf32>}, %b: tensor<2xf32> {accel.name = "b", accel.value = dense<[0.389, 0.717]> : tensor<2xf32>}, %w: tensor<2xf32> {accel.name = "w", accel.value = dense<0.0> : tensor<2xf32>}) -> tensor<2x2xf32> {
    %m = accel.read @mean : tensor<2xf32>
    %v = accel.read @variance : tensor<2xf32>
    %y:3 = accel.batch_norm %x, %b, %b, %m, %v weights %w along 0 epsilon 1.0e-5 momentum 0.1 : tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>
    return %y#0 : tensor<2x2xf32>
  }
}
