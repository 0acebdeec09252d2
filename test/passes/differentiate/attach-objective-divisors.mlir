// RUN: split-file %s %t
// RUN: accel-opt %t/multiple.mlir --accel-attach-objective | FileCheck %t/multiple.mlir
// RUN: accel-opt %t/mean.mlir --accel-attach-objective | FileCheck %t/mean.mlir
// RUN: accel-opt %t/stack.mlir --accel-attach-objective | FileCheck %t/stack.mlir
// RUN: accel-opt %t/means.mlir --accel-attach-objective | FileCheck %t/means.mlir

//--- multiple.mlir
// The mask's elements times three halves, divided by three quarters: the sum is divided by two and by the elements, which are the targets. What is added is at most
// a part in 100,000 of one element.
// CHECK: %[[SHARE:.+]] = accel.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK: %[[SCALED:.+]] = accel.mul %{{.+}}, %[[SHARE]]
// CHECK: %[[LOSSES:.+]] = accel.mul %[[SCALED]],
// CHECK: return %[[LOSSES]], %{{.+}}, %{{.+}} : tensor<2x3xf32>, tensor<f64>, tensor<f64>
module attributes {accel.batch = 2 : i64} {
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}, %m: tensor<2x3xf32> {accel.name = "m"}) -> (tensor<f32> {accel.name = "loss"}) {
    %xm = accel.mul %x, %m : tensor<2x3xf32>
    %s = accel.reduce_sum %xm [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %c = accel.reduce_sum %m [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %three = accel.constant dense<1.5> : tensor<f32>
    %some = accel.mul %three, %c : tensor<f32>
    %little = accel.constant dense<1.4e-5> : tensor<f32>
    %more = accel.add %some, %little : tensor<f32>
    %number = accel.constant dense<0.75> : tensor<f32>
    %half = accel.div %more, %number : tensor<f32>
    %loss = accel.div %s, %half : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- mean.mlir
// A mean over 12 elements divided by one over 6: the samples cancel, so it is half of the sum divided by the mask's.
// CHECK: %[[SHARE:.+]] = accel.constant dense<5.000000e-01> : tensor<2x6xf32>
// CHECK: accel.mul %{{.+}}, %[[SHARE]]
// CHECK-NOT: accel.constant dense<{{.+}}> : tensor<2x6xf32>
module attributes {accel.batch = 2 : i64} {
  func.func @forward(%x: tensor<2x6xf32> {accel.name = "x"}, %m: tensor<2x3xf32> {accel.name = "m"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x6xf32> -> tensor<f32>
    %twelve = accel.constant dense<12.0> : tensor<f32>
    %mean = accel.div %s, %twelve : tensor<f32>
    %c = accel.reduce_sum %m [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %share = accel.div %c, %six : tensor<f32>
    %bound = accel.constant dense<1.0e-8> : tensor<f32>
    %kept = accel.max %share, %bound : tensor<f32>
    %loss = accel.div %mean, %kept : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- stack.mlir
// The mean of three losses that lie behind each other: three terms, each a third. The last is a number that no sample has.
// CHECK: %[[A:.+]] = accel.reduce_sum %{{.+}} [0, 2] : tensor<1x2x3xf32> -> tensor<2xf32>
// CHECK: %[[THIRD:.+]] = accel.constant dense<0.111111112> : tensor<2xf32>
// CHECK: accel.mul %[[A]], %[[THIRD]]
// CHECK: %[[B:.+]] = accel.reduce_sum %{{.+}} [0, 2] : tensor<1x2x5xf32> -> tensor<2xf32>
// CHECK: %[[SHARE:.+]] = accel.constant dense<0.0666666701> : tensor<2xf32>
// CHECK: accel.mul %[[B]], %[[SHARE]]
// CHECK: %[[SMALL:.+]] = accel.broadcast %{{.+}} [] : tensor<f32> -> tensor<2xf32>
// CHECK: %[[PART:.+]] = accel.constant dense<0.333333343> : tensor<2xf32>
// CHECK: accel.mul %[[SMALL]], %[[PART]]
module attributes {accel.batch = 2 : i64} {
  accel.parameter @w : tensor<3xf32> trainable
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}, %y: tensor<2x5xf32> {accel.name = "y"}) -> (tensor<f32> {accel.name = "loss"}) {
    %w = accel.read @w : tensor<3xf32>
    %a = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %first = accel.div %a, %six : tensor<f32>
    %r0 = accel.reshape %first : tensor<f32> -> tensor<1xf32>
    %b = accel.reduce_sum %y [0, 1] : tensor<2x5xf32> -> tensor<f32>
    %ten = accel.constant dense<10.0> : tensor<f32>
    %second = accel.div %b, %ten : tensor<f32>
    %r1 = accel.reshape %second : tensor<f32> -> tensor<1xf32>
    %small = accel.reduce_sum %w [0] : tensor<3xf32> -> tensor<f32>
    %r2 = accel.reshape %small : tensor<f32> -> tensor<1xf32>
    %all = accel.concat %r0, %r1, %r2 axis 0 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32> -> tensor<3xf32>
    %sum = accel.reduce_sum %all [0] : tensor<3xf32> -> tensor<f32>
    %three = accel.constant dense<3.0> : tensor<f32>
    %loss = accel.div %sum, %three : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- means.mlir
// The mean of the samples' means of each column.
// CHECK: %[[FOURTH:.+]] = accel.constant dense<2.500000e-01> : tensor<2x4xf32>
// CHECK: accel.mul %{{.+}}, %[[FOURTH]]
module attributes {accel.batch = 2 : i64} {
  func.func @forward(%x: tensor<2x4xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.reduce_sum %x [0] : tensor<2x4xf32> -> tensor<4xf32>
    %two = accel.constant dense<2.0> : tensor<4xf32>
    %means = accel.div %s, %two : tensor<4xf32>
    %sum = accel.reduce_sum %means [0] : tensor<4xf32> -> tensor<f32>
    %four = accel.constant dense<4.0> : tensor<f32>
    %loss = accel.div %sum, %four : tensor<f32>
    return %loss : tensor<f32>
  }
}
