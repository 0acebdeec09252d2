// RUN: split-file %s %t
// RUN: accel-opt %t/placed.mlir --accel-attach-objective | FileCheck %t/placed.mlir
// RUN: accel-opt %t/shared.mlir --accel-attach-objective | FileCheck %t/shared.mlir
// RUN: accel-opt %t/means.mlir --accel-attach-objective | FileCheck %t/means.mlir
// RUN: accel-opt %t/counted.mlir --accel-attach-objective | FileCheck %t/counted.mlir
// RUN: accel-opt %t/factor.mlir --accel-attach-objective | FileCheck %t/factor.mlir
// RUN: accel-opt %t/divisor.mlir --accel-attach-objective | FileCheck %t/divisor.mlir

//--- placed.mlir
// Positions in front of samples: weights are spread along the dimension that counts samples.
// CHECK: %[[WEIGHTS:.+]] = accel.input "sample_weights" : tensor<2xf32>
// CHECK: accel.broadcast %[[WEIGHTS]] [1] : tensor<2xf32> -> tensor<4x2x3xf32>
module attributes {accel.batch = 2 : i64} {
  func.func @forward(%x: tensor<2x4x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %t = accel.transpose %x [1, 0, 2] : tensor<2x4x3xf32> -> tensor<4x2x3xf32>
    %s = accel.reduce_sum %t [0, 1, 2] : tensor<4x2x3xf32> -> tensor<f32>
    %count = accel.constant dense<24.0> : tensor<f32>
    %loss = accel.div %s, %count : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- shared.mlir
// The dimension counts positions, samples and parts: weights are spread behind positions, in front of parts.
// CHECK: %[[WEIGHTS:.+]] = accel.input "sample_weights" : tensor<2xf32>
// CHECK: %[[WIDE:.+]] = accel.broadcast %[[WEIGHTS]] [1] : tensor<2xf32> -> tensor<4x2x3xf32>
// CHECK: accel.reshape %[[WIDE]] : tensor<4x2x3xf32> -> tensor<24xf32>
module attributes {accel.batch = 2 : i64} {
  func.func @forward(%x: tensor<2x4x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %t = accel.transpose %x [1, 0, 2] : tensor<2x4x3xf32> -> tensor<4x2x3xf32>
    %r = accel.reshape %t : tensor<4x2x3xf32> -> tensor<24xf32>
    %s = accel.reduce_sum %r [0] : tensor<24xf32> -> tensor<f32>
    %count = accel.constant dense<24.0> : tensor<f32>
    %loss = accel.div %s, %count : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- means.mlir
// Means of different sizes, one of them times 0.3 and halved, and what keeps a parameter small: one loss per sample, which has the
// last term whole. The weight of a sample is its count.
// CHECK: %[[WEIGHTS:.+]] = accel.input "sample_weights" : tensor<2xf32>
// CHECK: %[[A:.+]] = accel.reduce_sum %{{.+}} [0, 2] : tensor<1x2x3xf32> -> tensor<2xf32>
// CHECK: %[[THIRD:.+]] = accel.constant dense<0.333333343> : tensor<2xf32>
// CHECK: %[[A3:.+]] = accel.mul %[[A]], %[[THIRD]]
// CHECK: %[[B:.+]] = accel.reduce_sum %{{.+}} [0, 2] : tensor<1x2x5xf32> -> tensor<2xf32>
// CHECK: %[[SHARE:.+]] = accel.constant dense<-0.0300000012> : tensor<2xf32>
// CHECK: %[[B5:.+]] = accel.mul %[[B]], %[[SHARE]]
// CHECK: %[[BOTH:.+]] = accel.add %[[A3]], %[[B5]]
// CHECK: %[[SMALL:.+]] = accel.broadcast %{{.+}} [] : tensor<f32> -> tensor<2xf32>
// CHECK: %[[ALL:.+]] = accel.add %[[BOTH]], %[[SMALL]]
// CHECK: %[[LOSSES:.+]] = accel.mul %[[ALL]], %[[WEIGHTS]]
// CHECK: %[[WIDE:.+]] = accel.cast %[[WEIGHTS]]
// CHECK: %[[COUNT:.+]] = accel.reduce_sum %[[WIDE]]
// CHECK: return %[[LOSSES]], %{{.+}}, %[[COUNT]]
module attributes {accel.batch = 2 : i64} {
  accel.parameter @w : tensor<3xf32> trainable
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}, %y: tensor<2x5xf32> {accel.name = "y"}) -> (tensor<f32> {accel.name = "loss"}) {
    %w = accel.read @w : tensor<3xf32>
    %a = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %first = accel.div %a, %six : tensor<f32>
    %b = accel.reduce_sum %y [0, 1] : tensor<2x5xf32> -> tensor<f32>
    %ten = accel.constant dense<10.0> : tensor<f32>
    %mean = accel.div %b, %ten : tensor<f32>
    %share = accel.constant dense<0.3> : tensor<f32>
    %scaled = accel.mul %share, %mean : tensor<f32>
    %two = accel.constant dense<2.0> : tensor<f32>
    %second = accel.div %scaled, %two : tensor<f32>
    %both = accel.sub %first, %second : tensor<f32>
    %small = accel.reduce_sum %w [0] : tensor<3xf32> -> tensor<f32>
    %loss = accel.add %both, %small : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- counted.mlir
// Two sums over one count, and a number of their own for each counted target.
// CHECK: %[[WEIGHTS:.+]] = accel.input "sample_weights" : tensor<2xf32>
// CHECK: %[[COUNTS:.+]] = accel.reduce_sum %{{.+}} [0, 2] : tensor<1x2x3xf32> -> tensor<2xf32>
// CHECK: accel.mul %{{.+}}, %[[COUNTS]] : tensor<2xf32>
// CHECK: %[[COUNTED:.+]] = accel.mul %[[COUNTS]], %[[WEIGHTS]] : tensor<2xf32>
// CHECK: accel.cast %[[COUNTED]] : tensor<2xf32> -> tensor<2xf64>
module attributes {accel.batch = 2 : i64} {
  accel.parameter @w : tensor<3xf32> trainable
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}, %y: tensor<2x3xf32> {accel.name = "y"}, %m: tensor<2x3xf32> {accel.name = "mask"}) -> (tensor<f32> {accel.name = "loss"}) {
    %w = accel.read @w : tensor<3xf32>
    %small = accel.reduce_sum %w [0] : tensor<3xf32> -> tensor<f32>
    %count = accel.reduce_sum %m [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %a = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %b = accel.reduce_sum %y [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %both = accel.add %a, %b : tensor<f32>
    %mean = accel.div %both, %count : tensor<f32>
    %loss = accel.add %mean, %small : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- factor.mlir
// A mean times a learnt number: each element is multiplied, so that the number has its gradient; what is counted stays.
// CHECK: %[[S:.+]] = accel.read @s : tensor<1xf32>
// CHECK: %[[NUMBER:.+]] = accel.reshape %[[S]] : tensor<1xf32> -> tensor<f32>
// CHECK: %[[EACH:.+]] = accel.broadcast %[[NUMBER]] [] : tensor<f32> -> tensor<2x3xf32>
// CHECK: %[[SCALED:.+]] = accel.mul %arg0, %[[EACH]]
// CHECK: %[[NEGATIVE:.+]] = accel.constant dense<-1.000000e+00>
// CHECK: accel.mul %[[SCALED]], %[[NEGATIVE]]
// CHECK: %[[THREE:.+]] = accel.constant dense<3.0{{.*}}> : tensor<f64>
// CHECK: accel.mul %{{.+}}, %[[THREE]]
module attributes {accel.batch = 2 : i64} {
  accel.parameter @s : tensor<1xf32> trainable
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.read @s : tensor<1xf32>
    %sum = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %mean = accel.div %sum, %six : tensor<f32>
    %wide = accel.reshape %mean : tensor<f32> -> tensor<1xf32>
    %scaled = accel.mul %wide, %s : tensor<1xf32>
    %negative = accel.neg %scaled : tensor<1xf32>
    %loss = accel.reshape %negative : tensor<1xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- divisor.mlir
// A mean over what is learned divides each element, in front of its weight.
// CHECK: %[[S:.+]] = accel.read @s : tensor<f32>
// CHECK: %[[EACH:.+]] = accel.broadcast %[[S]] [] : tensor<f32> -> tensor<2x3xf32>
// CHECK: %[[SHARE:.+]] = accel.div %arg0, %[[EACH]]
// CHECK: accel.mul %[[SHARE]],
module attributes {accel.batch = 2 : i64} {
  accel.parameter @s : tensor<f32> trainable
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.read @s : tensor<f32>
    %sum = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %mean = accel.div %sum, %six : tensor<f32>
    %loss = accel.div %mean, %s : tensor<f32>
    return %loss : tensor<f32>
  }
}
