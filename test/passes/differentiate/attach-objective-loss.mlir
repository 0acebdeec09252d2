// RUN: split-file %s %t
// RUN: accel-opt %t/counted.mlir --accel-attach-objective | FileCheck %t/counted.mlir
// RUN: accel-opt %t/counted.mlir --accel-attach-objective=objective=output:loss | FileCheck %t/counted.mlir
// RUN: accel-opt %t/counted.mlir --accel-attach-objective=loss-weight=samples | FileCheck %t/counted.mlir --check-prefix=SAMPLES
// RUN: accel-opt %t/mean.mlir --accel-attach-objective | FileCheck %t/mean.mlir
// RUN: accel-opt %t/sum.mlir --accel-attach-objective=objective=output:total 2>&1 | FileCheck %t/sum.mlir
// RUN: accel-opt %t/guarded.mlir --accel-attach-objective | FileCheck %t/guarded.mlir
// RUN: accel-opt %t/integers.mlir --accel-attach-objective | FileCheck %t/integers.mlir

//--- counted.mlir
// A sum over targets divided by their count, two targets of each of two samples: each gets the weight of its sample.
// CHECK: accel.objective = {kind = "loss", output = "loss"}
// CHECK-LABEL: func @microbatch
// CHECK: %[[E:[^,]+]], %{{.+}} = accel.softmax_cross_entropy
// CHECK: %[[WEIGHTS:.+]] = accel.input "sample_weights" : tensor<2xf32>
// CHECK: %[[SPREAD:.+]] = accel.broadcast %[[WEIGHTS]] [0] : tensor<2xf32> -> tensor<2x2xf32>
// CHECK: %[[EACH:.+]] = accel.reshape %[[SPREAD]] : tensor<2x2xf32> -> tensor<4xf32>
// CHECK: %[[LOSSES:.+]] = accel.mul %[[E]], %[[EACH]]
// CHECK: %[[COUNTED:.+]] = accel.mul %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK: %[[WIDE:.+]] = accel.cast %[[LOSSES]] : tensor<4xf32> -> tensor<4xf64>
// CHECK: %[[SUM:.+]] = accel.reduce_sum %[[WIDE]] [0]
// CHECK: %[[WIDE2:.+]] = accel.cast %[[COUNTED]]
// CHECK: %[[COUNT:.+]] = accel.reduce_sum %[[WIDE2]] [0]
// CHECK: return %[[LOSSES]], %[[SUM]], %[[COUNT]]

// As it is, once for each of the two samples; only whole microbatches are the same for any split.
// SAMPLES: accel.objective = {kind = "loss", output = "loss", whole_microbatches = "the loss is a mean over samples (--loss-weight=samples)"}
// SAMPLES: %[[WEIGHTS:.+]] = accel.input "sample_weights" : tensor<2xf32>
// SAMPLES: %[[TWO:.+]] = accel.constant dense<2.000000e+00> : tensor<f32>
// SAMPLES: %[[TWICE:.+]] = accel.mul %{{.+}}, %[[TWO]]
// SAMPLES: %[[LOSSES:.+]] = accel.reshape %[[TWICE]] : tensor<f32> -> tensor<1xf32>
// SAMPLES: return %[[LOSSES]]
module attributes {accel.batch = 2 : i64} {
  accel.parameter @w : tensor<5x3xf32> trainable
  func.func @forward(%x: tensor<2x2x5xf32> {accel.name = "x"}, %labels: tensor<2x2xi64> {accel.name = "labels"}) -> (tensor<f32> {accel.name = "loss"}, tensor<2x2x3xf32> {accel.name = "logits"}) {
    %w = accel.read @w : tensor<5x3xf32>
    %rows = accel.reshape %x : tensor<2x2x5xf32> -> tensor<4x5xf32>
    %y = accel.matmul %rows, %w : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
    %logits = accel.reshape %y : tensor<4x3xf32> -> tensor<2x2x3xf32>
    %l = accel.reshape %labels : tensor<2x2xi64> -> tensor<4xi64>
    %losses, %lse = accel.softmax_cross_entropy %y, %l : tensor<4x3xf32>, tensor<4xi64> -> tensor<4xf32>, tensor<4xf32>
    %zero = accel.constant dense<0> : tensor<4xi64>
    %valid = accel.compare ge, %l, %zero : tensor<4xi64> -> tensor<4xi1>
    %ones = accel.cast %valid : tensor<4xi1> -> tensor<4xf32>
    %sum = accel.reduce_sum %losses [0] : tensor<4xf32> -> tensor<f32>
    %count = accel.reduce_sum %ones [0] : tensor<4xf32> -> tensor<f32>
    %loss = accel.div %sum, %count : tensor<f32>
    return %loss, %logits : tensor<f32>, tensor<2x2x3xf32>
  }
}

//--- mean.mlir
// The mean over all elements: three targets of every sample.
// CHECK: accel.objective = {kind = "loss", output = "loss"}
// CHECK: %[[SAMPLES:.+]] = accel.reduce_sum %{{.+}} [0] : tensor<4xf64> -> tensor<f64>
// CHECK: %[[THREE:.+]] = accel.constant dense<3.0{{.*}}> : tensor<f64>
// CHECK: %[[COUNT:.+]] = accel.mul %[[SAMPLES]], %[[THREE]]
// CHECK: return %{{.+}}, %{{.+}}, %[[COUNT]]
module attributes {accel.batch = 4 : i64} {
  accel.parameter @w : tensor<3xf32> trainable
  func.func @forward(%x: tensor<4x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %w = accel.read @w : tensor<3xf32>
    %wide = accel.broadcast %w [1] : tensor<3xf32> -> tensor<4x3xf32>
    %y = accel.mul %x, %wide : tensor<4x3xf32>
    %sum = accel.reduce_sum %y [0, 1] : tensor<4x3xf32> -> tensor<f32>
    %twelve = accel.constant dense<1.2e+01> : tensor<f32>
    %loss = accel.div %sum, %twelve : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- sum.mlir
// A mere sum: every sample is one target, which is told.
// CHECK: remark: output 'total' is a sum without a divisor that grows with the samples; a step trains its mean over the samples of the global batch, so that gradients are the sum's divided by --global-batch
// CHECK: accel.objective = {kind = "loss", output = "total"}
// CHECK: %[[COUNT:.+]] = accel.reduce_sum %{{.+}} [0] : tensor<4xf64> -> tensor<f64>
// CHECK: return %{{.+}}, %{{.+}}, %[[COUNT]]
module attributes {accel.batch = 4 : i64} {
  accel.parameter @w : tensor<3xf32> trainable
  func.func @forward(%x: tensor<4x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "total"}) {
    %w = accel.read @w : tensor<3xf32>
    %wide = accel.broadcast %w [1] : tensor<3xf32> -> tensor<4x3xf32>
    %y = accel.mul %x, %wide : tensor<4x3xf32>
    %sum = accel.reduce_sum %y [0, 1] : tensor<4x3xf32> -> tensor<f32>
    return %sum : tensor<f32>
  }
}

//--- guarded.mlir
// The usual guard against a count of zero is part of the count.
// CHECK-LABEL: func @microbatch
// CHECK-SAME: %[[MASK:[^: ]+]]: tensor<4x3xf32> {accel.name = "mask"}
// CHECK: %[[COUNTED:.+]] = accel.mul %[[MASK]], %{{.+}} : tensor<4x3xf32>
// CHECK: %[[WIDE:.+]] = accel.cast %[[COUNTED]] : tensor<4x3xf32> -> tensor<4x3xf64>
// CHECK: %[[COUNT:.+]] = accel.reduce_sum %[[WIDE]] [0, 1]
// CHECK: return %{{.+}}, %{{.+}}, %[[COUNT]]
module attributes {accel.batch = 4 : i64} {
  accel.parameter @w : tensor<3xf32> trainable
  func.func @forward(%x: tensor<4x3xf32> {accel.name = "x"}, %m: tensor<4x3xf32> {accel.name = "mask"}) -> (tensor<f32> {accel.name = "loss"}) {
    %w = accel.read @w : tensor<3xf32>
    %wide = accel.broadcast %w [1] : tensor<3xf32> -> tensor<4x3xf32>
    %y = accel.mul %x, %wide : tensor<4x3xf32>
    %ym = accel.mul %y, %m : tensor<4x3xf32>
    %sum = accel.reduce_sum %ym [0, 1] : tensor<4x3xf32> -> tensor<f32>
    %count = accel.reduce_sum %m [0, 1] : tensor<4x3xf32> -> tensor<f32>
    %one = accel.constant dense<1.0> : tensor<f32>
    %safe = accel.max %count, %one : tensor<f32>
    %loss = accel.div %sum, %safe : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- integers.mlir
// The divisor is a sum of integers with a lower bound, as PyTorch has of `mask.sum().clamp(min=1)`: what is counted is cast first, so that it
// gets weights and is added up in double as floats are.
// CHECK: accel.objective = {kind = "loss", output = "loss"}
// CHECK: %[[ONES:.+]] = accel.cast %{{.+}} : tensor<4xi1> -> tensor<4xi64>
// CHECK: %[[WEIGHTS:.+]] = accel.input "sample_weights" : tensor<4xf32>
// CHECK: %[[FLOATS:.+]] = accel.cast %[[ONES]] : tensor<4xi64> -> tensor<4xf32>
// CHECK: %[[COUNTED:.+]] = accel.mul %[[FLOATS]], %[[WEIGHTS]] : tensor<4xf32>
// CHECK: %[[WIDE:.+]] = accel.cast %[[COUNTED]] : tensor<4xf32> -> tensor<4xf64>
// CHECK: %[[COUNT:.+]] = accel.reduce_sum %[[WIDE]] [0]
// CHECK: return %{{.+}}, %{{.+}}, %[[COUNT]]
module attributes {accel.batch = 4 : i64} {
  accel.parameter @w : tensor<f32> trainable
  func.func @forward(%x: tensor<4xf32> {accel.name = "x"}, %m: tensor<4xi1> {accel.name = "m"}) -> (tensor<f32> {accel.name = "loss"}) {
    %scalar = accel.read @w : tensor<f32>
    %w = accel.broadcast %scalar [] : tensor<f32> -> tensor<4xf32>
    %y = accel.mul %x, %w : tensor<4xf32>
    %sum = accel.reduce_sum %y [0] : tensor<4xf32> -> tensor<f32>
    %ones = accel.cast %m : tensor<4xi1> -> tensor<4xi64>
    %counted = accel.reduce_sum %ones [0] : tensor<4xi64> -> tensor<i64>
    %one = accel.constant dense<1> : tensor<i64>
    %least = accel.max %counted, %one : tensor<i64>
    %count = accel.cast %least : tensor<i64> -> tensor<f32>
    %loss = accel.div %sum, %count : tensor<f32>
    return %loss : tensor<f32>
  }
}
