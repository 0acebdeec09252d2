// States that no function uses have their buffers where the state is set up, because the host sets or reads them.
// RUN: accel-opt %s --accel-assign-buffers --accel-assign-geometry --accel-verify-fuse --split-input-file | FileCheck %s

accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group frozen, 256 elements>]}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<frozen>, dist.held = #dist.held<part>}
accel.state @flag accumulator : tensor<i1>
accel.state @rate hyperparameter : tensor<f64> {initial = 0.5 : f64}

// CHECK-LABEL: func.func @step
// CHECK-NEXT: %[[FLAG:.+]] = plan.buffer persistent scalars "flag" : memref<i8>
// CHECK-NEXT: plan.fill %[[FLAG]]
// CHECK-NEXT: return
func.func @step() attributes {accel.role = #accel.role<step>} {
  %no = accel.constant dense<false> : tensor<i1>
  accel.write @flag, %no : tensor<i1>
  return
}
// CHECK-LABEL: func.func @set_up
// CHECK-NEXT: plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
// CHECK-NEXT: plan.buffer persistent scalars "rate" : memref<f64>
// CHECK-NEXT: return
func.func @set_up() attributes {accel.role = #accel.role<initialize>} {
  return
}

// -----

// Without such a function it is the first one.
accel.state @rate hyperparameter : tensor<f64> {initial = 0.5 : f64}
// CHECK-LABEL: func.func @evaluate
// CHECK-NEXT: plan.buffer persistent scalars "rate" : memref<f64>
func.func @evaluate() attributes {accel.role = #accel.role<evaluate>} {
  return
}
// CHECK-LABEL: func.func @infer
// CHECK-NEXT: return
func.func @infer() attributes {accel.role = #accel.role<infer>} {
  return
}
