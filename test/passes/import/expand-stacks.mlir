// RUN: accel-opt %s --accel-expand-stacks --split-input-file | FileCheck %s

// Three losses times constants, halved, and a parameter beside them: numbers of a parameter are cut out, those of a constant written down.
// CHECK-LABEL: @weighted
// CHECK: %[[S:.+]] = accel.read @s
// CHECK-NOT: accel.concat
// CHECK: %[[W0:.+]] = accel.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[P0:.+]] = accel.mul %{{.+}}, %[[W0]] : tensor<f32>
// CHECK: %[[CUT:.+]] = accel.slice %[[S]] [0] strides [1] : tensor<3xf32> -> tensor<1xf32>
// CHECK: %[[S0:.+]] = accel.reshape %[[CUT]] : tensor<1xf32> -> tensor<f32>
// CHECK: %[[E0:.+]] = accel.exp %[[S0]] : tensor<f32>
// CHECK: %[[T0:.+]] = accel.mul %[[P0]], %[[E0]] : tensor<f32>
// CHECK: %[[A0:.+]] = accel.add %[[T0]], %[[S0]] : tensor<f32>
// CHECK: %[[W1:.+]] = accel.constant dense<2.000000e+00> : tensor<f32>
// CHECK: %[[SUM:.+]] = accel.add %[[A0]],
// CHECK: accel.slice %[[S]] [2] strides [1]
// CHECK: %[[LOSS:.+]] = accel.add %[[SUM]],
// CHECK: return %[[LOSS]] : tensor<f32>
module attributes {accel.batch = 2 : i64} {
  accel.parameter @s : tensor<3xf32> trainable
  func.func @weighted(%a: tensor<f32> {accel.name = "a"}, %b: tensor<f32> {accel.name = "b"}, %c: tensor<f32> {accel.name = "c"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.read @s : tensor<3xf32>
    %a1 = accel.reshape %a : tensor<f32> -> tensor<1xf32>
    %b1 = accel.reshape %b : tensor<f32> -> tensor<1xf32>
    %c1 = accel.reshape %c : tensor<f32> -> tensor<1xf32>
    %stack = accel.concat %a1, %b1, %c1 axis 0 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32> -> tensor<3xf32>
    %w = accel.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %p = accel.mul %stack, %w : tensor<3xf32>
    %e = accel.exp %s : tensor<3xf32>
    %t = accel.mul %p, %e : tensor<3xf32>
    %u = accel.add %t, %s : tensor<3xf32>
    %loss = accel.reduce_sum %u [0] : tensor<3xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A mere sum of a stack is one already; what counts samples is no stack of numbers.
// CHECK-LABEL: @plain
// CHECK: accel.reduce_sum %{{.+}} [0] : tensor<2xf32> -> tensor<f32>
// CHECK: accel.reduce_sum %{{.+}} [0] : tensor<2xf32> -> tensor<f32>
module attributes {accel.batch = 1 : i64} {
  func.func @plain(%a: tensor<f32> {accel.name = "a"}, %b: tensor<f32> {accel.name = "b"}, %x: tensor<1xf32> {accel.name = "x"}, %w: tensor<2xf32> {accel.name = "w"}) -> (tensor<f32> {accel.name = "loss"}) {
    %a1 = accel.reshape %a : tensor<f32> -> tensor<1xf32>
    %b1 = accel.reshape %b : tensor<f32> -> tensor<1xf32>
    %stack = accel.concat %a1, %b1 axis 0 : tensor<1xf32>, tensor<1xf32> -> tensor<2xf32>
    %first = accel.reduce_sum %stack [0] : tensor<2xf32> -> tensor<f32>
    %samples = accel.concat %x, %x axis 0 : tensor<1xf32>, tensor<1xf32> -> tensor<2xf32>
    %weighted = accel.mul %samples, %w : tensor<2xf32>
    %second = accel.reduce_sum %weighted [0] : tensor<2xf32> -> tensor<f32>
    %loss = accel.add %first, %second : tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A stack times a vector.
// CHECK-LABEL: @dot
// CHECK-NOT: accel.matmul
// CHECK: %[[FIRST:.+]] = accel.mul %{{.+}}, %{{.+}} : tensor<f32>
// CHECK: %[[SECOND:.+]] = accel.mul %{{.+}}, %{{.+}} : tensor<f32>
// CHECK: accel.add %[[FIRST]], %[[SECOND]] : tensor<f32>
module attributes {accel.batch = 2 : i64} {
  func.func @dot(%a: tensor<f32> {accel.name = "a"}, %b: tensor<f32> {accel.name = "b"}) -> (tensor<1x1xf32> {accel.name = "loss"}) {
    %a1 = accel.reshape %a : tensor<f32> -> tensor<1xf32>
    %b1 = accel.reshape %b : tensor<f32> -> tensor<1xf32>
    %stack = accel.concat %a1, %b1 axis 0 : tensor<1xf32>, tensor<1xf32> -> tensor<2xf32>
    %row = accel.reshape %stack : tensor<2xf32> -> tensor<1x2xf32>
    %w = accel.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
    %loss = accel.matmul %row, %w : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
    return %loss : tensor<1x1xf32>
  }
}
