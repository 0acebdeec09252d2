// RUN: accel-opt %s --split-input-file --accel-annotate-input-ranges | FileCheck %s

accel.parameter @tokens : tensor<256x8xf32> trainable
accel.parameter @segments : tensor<2x8xf32> trainable
accel.parameter @small : tensor<100x8xf32> trainable

// The range comes from the tables that an input chooses rows of, the smallest of several; also through views.
// CHECK-LABEL: func @forward
// CHECK-SAME: {accel.name = "ids", accel.range = [0, 99]}
// CHECK-SAME: {accel.name = "segment", accel.range = [0, 1]}
// CHECK-SAME: {accel.name = "free"}
func.func @forward(%ids: tensor<2x4xi64> {accel.name = "ids"}, %segment: tensor<2x4xi64> {accel.name = "segment"}, %free: tensor<2x4xi64> {accel.name = "free"})
    -> (tensor<2x4x8xf32> {accel.name = "y"}, tensor<2x4xi64> {accel.name = "z"}) {
  %t = accel.read @tokens : tensor<256x8xf32>
  %a = accel.gather %t, %ids : tensor<256x8xf32>, tensor<2x4xi64> -> tensor<2x4x8xf32>
  %m = accel.read @small : tensor<100x8xf32>
  %b = accel.gather %m, %ids : tensor<100x8xf32>, tensor<2x4xi64> -> tensor<2x4x8xf32>
  %s = accel.read @segments : tensor<2x8xf32>
  %flat = accel.reshape %segment : tensor<2x4xi64> -> tensor<8xi64>
  %c = accel.gather %s, %flat : tensor<2x8xf32>, tensor<8xi64> -> tensor<8x8xf32>
  %d = accel.reshape %c : tensor<8x8xf32> -> tensor<2x4x8xf32>
  %e = accel.add %a, %b : tensor<2x4x8xf32>
  %y = accel.add %e, %d : tensor<2x4x8xf32>
  %z = accel.add %free, %free : tensor<2x4xi64>
  return %y, %z : tensor<2x4x8xf32>, tensor<2x4xi64>
}

// -----

accel.parameter @colours : tensor<5x4xf32> trainable
accel.parameter @shapes : tensor<9x4xf32> trainable
accel.parameter @all : tensor<14x4xf32> trainable

// Columns of categories have the ranges of their own tables, however they are taken apart. A column that is a number has
// none, and then neither has the whole.
// CHECK-LABEL: func @forward
// CHECK-SAME: {accel.name = "sliced", accel.range = [0, 8], accel.ranges = {{\[}}[0, 4], [0, 8]], accel.ranges_axis = 1 : i64}
// CHECK-SAME: {accel.name = "split", accel.ranges = {{\[}}[0, 4], [], [0, 8]], accel.ranges_axis = 1 : i64}
// CHECK-SAME: {accel.name = "rows", accel.range = [0, 8], accel.ranges = {{\[}}[0, 8], [0, 4]], accel.ranges_axis = 1 : i64}
// One table for all columns, each with rows of its own behind those of the one before.
// CHECK-SAME: {accel.name = "offset", accel.range = [-5, 13], accel.ranges = {{\[}}[0, 13], [-5, 8]], accel.ranges_axis = 1 : i64}
// What no table reads, the last token of a language model, has the range of the others.
// CHECK-SAME: {accel.name = "shifted", accel.range = [0, 8]}
func.func @forward(%sliced: tensor<2x2xi64> {accel.name = "sliced"}, %split: tensor<2x3xi64> {accel.name = "split"}, %rows: tensor<2x2x3xi64> {accel.name = "rows"}, %offset: tensor<2x2xi64> {accel.name = "offset"}, %shifted: tensor<2x3xi64> {accel.name = "shifted"})
    -> (tensor<2x4xf32> {accel.name = "a"}, tensor<2x4xf32> {accel.name = "b"}, tensor<2x1x4xf32> {accel.name = "c"}, tensor<2x1x4xf32> {accel.name = "d"}, tensor<2x1xf32> {accel.name = "e"}, tensor<2x1x3x4xf32> {accel.name = "f"}, tensor<2x1x3x4xf32> {accel.name = "g"}, tensor<2x2x4xf32> {accel.name = "h"}, tensor<2x2x4xf32> {accel.name = "i"}) {
  %colours = accel.read @colours : tensor<5x4xf32>
  %shapes = accel.read @shapes : tensor<9x4xf32>
  %all = accel.read @all : tensor<14x4xf32>
  %s0 = accel.slice %sliced [0, 0] strides [1, 1] : tensor<2x2xi64> -> tensor<2x1xi64>
  %r0 = accel.reshape %s0 : tensor<2x1xi64> -> tensor<2xi64>
  %a = accel.gather %colours, %r0 : tensor<5x4xf32>, tensor<2xi64> -> tensor<2x4xf32>
  %s1 = accel.slice %sliced [0, 1] strides [1, 1] : tensor<2x2xi64> -> tensor<2x1xi64>
  %r1 = accel.reshape %s1 : tensor<2x1xi64> -> tensor<2xi64>
  %b = accel.gather %shapes, %r1 : tensor<9x4xf32>, tensor<2xi64> -> tensor<2x4xf32>
  %p:3 = accel.split %split axis 1 : tensor<2x3xi64> -> tensor<2x1xi64>, tensor<2x1xi64>, tensor<2x1xi64>
  %c = accel.gather %colours, %p#0 : tensor<5x4xf32>, tensor<2x1xi64> -> tensor<2x1x4xf32>
  %d = accel.gather %shapes, %p#2 : tensor<9x4xf32>, tensor<2x1xi64> -> tensor<2x1x4xf32>
  %e = accel.cast %p#1 : tensor<2x1xi64> -> tensor<2x1xf32>
  %t0 = accel.slice %rows [0, 0, 0] strides [1, 1, 1] : tensor<2x2x3xi64> -> tensor<2x1x3xi64>
  %f = accel.gather %shapes, %t0 : tensor<9x4xf32>, tensor<2x1x3xi64> -> tensor<2x1x3x4xf32>
  %t1 = accel.slice %rows [0, 1, 0] strides [1, 1, 1] : tensor<2x2x3xi64> -> tensor<2x1x3xi64>
  %g = accel.gather %colours, %t1 : tensor<5x4xf32>, tensor<2x1x3xi64> -> tensor<2x1x3x4xf32>
  %k = accel.constant dense<[0, 5]> : tensor<2xi64>
  %kb = accel.broadcast %k [1] : tensor<2xi64> -> tensor<2x2xi64>
  %o = accel.add %offset, %kb : tensor<2x2xi64>
  %h = accel.gather %all, %o : tensor<14x4xf32>, tensor<2x2xi64> -> tensor<2x2x4xf32>
  %u = accel.slice %shifted [0, 0] strides [1, 1] : tensor<2x3xi64> -> tensor<2x2xi64>
  %i = accel.gather %shapes, %u : tensor<9x4xf32>, tensor<2x2xi64> -> tensor<2x2x4xf32>
  return %a, %b, %c, %d, %e, %f, %g, %h, %i : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2x1xf32>, tensor<2x1x3x4xf32>, tensor<2x1x3x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>
}
