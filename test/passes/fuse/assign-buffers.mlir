// RUN: accel-opt %s --accel-assign-buffers --accel-assign-geometry --accel-verify-fuse | FileCheck %s

accel.parameter @w : tensor<8x16xf32> trainable {segment = @"model.decayed.master", offset = 0 : i64, initial = {kind = "file", key = "w"}}
accel.state @"model.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @"model.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}

func.func private @neg_0(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {columns = 64 : i64, elements = 64 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.neg %x : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// Weights that came with the model are loaded.
// CHECK-LABEL: func.func @init
// CHECK: %[[MASTER:.+]] = plan.buffer persistent parameters "model.decayed.master" : memref<128xf32>
// CHECK: %[[W:.+]] = plan.view %[[MASTER]] at 0 : memref<128xf32> to memref<8x16xf32>
// CHECK: plan.load "w" into %[[W]]
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  return
}

// Inputs are double-buffered, gradients are accumulated where they lie.
// CHECK-LABEL: func.func @step
// CHECK-DAG: %[[X:.+]] = plan.buffer io io "x" {copies = 2 : i64} : memref<4x8xf32>
// CHECK-DAG: %[[GRADIENT:.+]] = plan.buffer persistent gradients "model.decayed.gradient" : memref<128xf32>
// CHECK-DAG: %[[VIEW:.+]] = plan.view %[[GRADIENT]] at 0 : memref<128xf32> to memref<8x16xf32>
// CHECK: plan.fetch ["x"] into %[[X]] ahead 0
// CHECK: plan.repeat
// CHECK: plan.fetch ["x"] into %[[X]] ahead 1
// CHECK: plan.launch @matmul{{.+}}(%[[X]], %{{.*}}, %[[P:.+]]) [read, read, write]
// CHECK: plan.launch @neg_0(%[[P]], %[[N:.+]]) [read, write]
// CHECK: plan.launch @matmul{{.+}}(%[[X]], %[[N]], %[[VIEW]]) [read, read, update]
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<4x8xf32>
    %w = accel.read @w : tensor<8x16xf32>
    %p = func.call @matmul_4x16x8(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %n = func.call @neg_0(%p) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %g = func.call @matmul_8x16x4(%x, %n) : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    accel.accumulate @w, %g : tensor<8x16xf32>
  }
  return
}

func.func private @matmul_4x16x8(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 64 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}
func.func private @matmul_8x16x4(%a: tensor<4x8xf32>, %b: tensor<4x16xf32>) -> (tensor<8x16xf32> {plan.accumulate}) attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 128 : i64, kind = "product", rows = 8 : i64}} {
  %c = accel.matmul %a, %b {transpose_lhs} : tensor<4x8xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}
