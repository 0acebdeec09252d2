// A kernel that computes a rank's part reads the rank's own rows of what every rank has all of, one number for each row; numbers for
// the rows that it makes are whole, and zero where the rank owns nothing. Of what it reads one number of, for all rows, it takes all.
// RUN: accel-opt %s --accel-assign-buffers --accel-assign-geometry --accel-verify-fuse | FileCheck %s

accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 512 elements of @w>]}
accel.parameter @w : tensor<512xf32> trainable {segment = @"b.s.master", offset = 0 : i64}
accel.state @"b.s.master" slot : tensor<512xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @weight_amax partial_max : tensor<4xf32>

func.func private @maxima(%x: tensor<512xf32>) -> tensor<4xf32> attributes {plan.kernel = {columns = 128 : i64, elements = 512 : i64, kind = "rows", rows = 4 : i64}} {
  %rows = accel.reshape %x : tensor<512xf32> -> tensor<4x128xf32>
  %max = accel.reduce_max %rows [1] : tensor<4x128xf32> -> tensor<4xf32>
  return %max : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @scale(%x: tensor<512xf32>, %f: tensor<4xf32>) -> tensor<512xf32> attributes {plan.kernel = {columns = 128 : i64, elements = 512 : i64, kind = "rows", rows = 4 : i64}} {
  %rows = accel.reshape %x : tensor<512xf32> -> tensor<4x128xf32>
  %factors = accel.broadcast %f [0] : tensor<4xf32> -> tensor<4x128xf32>
  %scaled = accel.mul %rows, %factors : tensor<4x128xf32>
  %flat = accel.reshape %scaled : tensor<4x128xf32> -> tensor<512xf32>
  return %flat : tensor<512xf32>
}
func.func private @scale_all(%x: tensor<512xf32>, %f: tensor<4xf32>) -> tensor<512xf32> attributes {plan.kernel = {columns = 128 : i64, elements = 512 : i64, kind = "rows", rows = 4 : i64}} {
  %rows = accel.reshape %x : tensor<512xf32> -> tensor<4x128xf32>
  %one = accel.slice %f [2] strides [1] : tensor<4xf32> -> tensor<1xf32>
  %number = accel.reshape %one : tensor<1xf32> -> tensor<f32>
  %factors = accel.broadcast %number [] : tensor<f32> -> tensor<4x128xf32>
  %scaled = accel.mul %rows, %factors : tensor<4x128xf32>
  %flat = accel.reshape %scaled : tensor<4x128xf32> -> tensor<512xf32>
  return %flat : tensor<512xf32>
}

// CHECK-LABEL: func.func @step
// CHECK-DAG: %[[MASTER:.+]] = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<512 granule 128 over "fsdp">}
// CHECK-DAG: %[[MAXIMA:.+]] = plan.buffer transient activations : memref<4xf32>
// CHECK-DAG: %[[OWN:.+]] = plan.part %[[MAXIMA]] {shard = #plan.shard<4 granule 1 over "fsdp">}
// CHECK-DAG: %[[SHARE:.+]] = plan.buffer persistent scalars "weight_amax" : memref<4xf32>
// CHECK-DAG: %[[ROWS:.+]] = plan.part %[[SHARE]] {shard = #plan.shard<4 granule 1 over "fsdp">}
// CHECK: plan.fill %[[MAXIMA]] : memref<4xf32>
// CHECK-NEXT: plan.launch @maxima(%[[MASTER]], %[[OWN]]) [read, write] {shard =
// CHECK-NEXT: plan.launch @twice(%[[MAXIMA]], %[[SHARE]]) [read, write] :
// CHECK-NEXT: plan.all_reduce %[[SHARE]] over ["replica", "fsdp"] by max
// CHECK-NEXT: plan.launch @scale(%[[MASTER]], %[[ROWS]], %[[SCALED:.+]]) [read, read, write] {shard =
// CHECK-NEXT: plan.launch @scale_all(%[[SCALED]], %[[SHARE]], %[[MASTER]]) [read, read, write] {shard =
func.func @step() attributes {accel.role = #accel.role<step>} {
  %w = accel.read @"b.s.master" : tensor<512xf32>
  %max = func.call @maxima(%w) : (tensor<512xf32>) -> tensor<4xf32>
  %twice = func.call @twice(%max) : (tensor<4xf32>) -> tensor<4xf32>
  accel.write @weight_amax, %twice : tensor<4xf32>
  dist.all_reduce [@weight_amax] over ["replica", "fsdp"] by max
  %factors = accel.read @weight_amax : tensor<4xf32>
  %scaled = func.call @scale(%w, %factors) : (tensor<512xf32>, tensor<4xf32>) -> tensor<512xf32>
  %all = func.call @scale_all(%scaled, %factors) : (tensor<512xf32>, tensor<4xf32>) -> tensor<512xf32>
  accel.write @"b.s.master", %all : tensor<512xf32>
  return
}
