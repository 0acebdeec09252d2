// RUN: accel-opt %s --accel-assign-buffers --accel-assign-geometry --accel-verify-fuse | FileCheck %s

accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 384 elements of @w, @r>]}
accel.parameter @w : tensor<8x16xf32> trainable {segment = @"b.s.master", offset = 0 : i64, initial = {kind = "file", key = "w.weight"}}
accel.parameter @r : tensor<16x10xf32> trainable {segment = @"b.s.master", offset = 128 : i64}
accel.state @"b.s.master" slot : tensor<384xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.s.gradient" slot : tensor<384xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @accumulating accumulator : tensor<i1>
accel.state @"b.s.momentum" slot : tensor<384xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>, dist.held = #dist.held<part>}

func.func private @random() -> tensor<16x10xf32> attributes {plan.kernel = {columns = 160 : i64, elements = 160 : i64, kind = "flat", rows = 1 : i64}} {
  %one = accel.constant dense<1.0> : tensor<16x10xf32>
  return %one : tensor<16x10xf32>
}
func.func private @zeros() -> tensor<384xf32> attributes {plan.kernel = {columns = 384 : i64, elements = 384 : i64, kind = "flat", rows = 1 : i64}} {
  %zero = accel.constant dense<0.0> : tensor<384xf32>
  return %zero : tensor<384xf32>
}

// `init` computes the whole, gaps are zero, and keeps the rank's part; what came with the model is loaded into the part, of
// which it is told where in the segment it lies. Momentum is computed in the part itself.
// CHECK-LABEL: func.func @init
// CHECK: %[[WHOLE:.+]] = plan.buffer transient parameters : memref<384xf32>
// CHECK: %[[R:.+]] = plan.view %[[WHOLE]] at 128 : memref<384xf32> to memref<16x10xf32>
// CHECK: %[[MOMENTUM:.+]] = plan.buffer persistent optimizer "b.s.momentum" {shard = #plan.shard<384 granule 128 over "fsdp">}
// CHECK: %[[PART:.+]] = plan.part %[[WHOLE]] {shard = #plan.shard<384 granule 128 over "fsdp">}
// CHECK: %[[MASTER:.+]] = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<384 granule 128 over "fsdp">} : memref<384xf32>
// CHECK: plan.fill %[[WHOLE]] : memref<384xf32>
// CHECK-NEXT: plan.launch @random(%[[R]]) [write] : memref<16x10xf32>
// CHECK-NEXT: plan.copy %[[PART]] to %[[MASTER]] : memref<384xf32>, memref<384xf32>
// CHECK-NEXT: plan.launch @zeros(%[[MOMENTUM]]) [write] {shard = #plan.shard<384 granule 128 over "fsdp">}
// CHECK-NEXT: plan.load "w.weight" into %[[MASTER]] {elements = 128 : i64, offset = 0 : i64} : memref<384xf32>
// CHECK-NEXT: return
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %random = func.call @random() : () -> tensor<16x10xf32>
  accel.write @r, %random : tensor<16x10xf32>
  %zeros = func.call @zeros() : () -> tensor<384xf32>
  accel.write @"b.s.momentum", %zeros : tensor<384xf32>
  return
}

// Parameters are read from a copy of the whole, for which Schedule asks the target whose memory it lies in; microbatches add to a
// gradient of the whole, which begins at zero in each of them. Both have the name of their slot, and what ranks exchange of it stays what it was:
// Schedule places it. What it needs is there: the rank's parts, a kernel that adds a part of the sum to what the rank holds
// or, in the first microbatch, stores it, and the state that says whether it is the first.
// CHECK-LABEL: func.func @step
// CHECK-DAG: %[[GATHERED:.+]] = plan.buffer transient gathered "b.s.master" : memref<384xf32>
// CHECK-DAG: %[[W:.+]] = plan.view %[[GATHERED]] at 0 : memref<384xf32> to memref<8x16xf32>
// CHECK-DAG: %[[R:.+]] = plan.view %[[GATHERED]] at 128 : memref<384xf32> to memref<16x10xf32>
// CHECK-DAG: plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<384 granule 128 over "fsdp">}
// CHECK-DAG: %[[ADDED:.+]] = plan.buffer transient gradients "b.s.gradient" : memref<384xf32>
// CHECK-DAG: %[[DW:.+]] = plan.view %[[ADDED]] at 0 : memref<384xf32> to memref<8x16xf32>
// CHECK-DAG: plan.buffer persistent gradients "b.s.gradient" {shard = #plan.shard<384 granule 128 over "fsdp">}
// CHECK-DAG: %[[FLAG:.+]] = plan.buffer persistent scalars "accumulating" : memref<i8>
// CHECK: plan.fetch
// CHECK: plan.fill %[[FLAG]] : memref<i8>
// CHECK-NOT: plan.fill
// CHECK: plan.repeat
// CHECK-NEXT: plan.fetch
// CHECK-NEXT: dist.all_gather [@b.s.master] over ["fsdp"]
// CHECK-NEXT: plan.launch @matmul{{.+}}(%{{.*}}, %[[W]], %{{.*}}) [read, read, write]
// CHECK-NEXT: plan.launch @matmul{{.+}}(%{{.*}}, %[[R]], %{{.*}}) [read, read, write]
// CHECK-NEXT: plan.launch @matmul{{.+}}(%{{.*}}, %{{.*}}, %[[DW]]) [read, read, update]
// CHECK-NEXT: dist.reduce_scatter [@b.s.gradient] over ["fsdp"]
// CHECK-NEXT: plan.fill %[[FLAG]] {is_true} : memref<i8>
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK: func.func private @accumulate_384(%[[SUM:.+]]: tensor<384xf32>, %{{.*}}: tensor<i1>) -> (tensor<384xf32> {plan.accumulate = 1 : i64})
// CHECK-SAME: kind = "flat"
// CHECK-NEXT: return %[[SUM]]
func.func @step() attributes {accel.role = #accel.role<step>} {
  %no = accel.constant dense<false> : tensor<i1>
  accel.write @accumulating, %no : tensor<i1>
  accel.repeat {
    dist.all_gather [@"b.s.master"] over ["fsdp"]
    %x = accel.input "x" : tensor<4x8xf32>
    %w = accel.read @w : tensor<8x16xf32>
    %r = accel.read @r : tensor<16x10xf32>
    %p = func.call @matmul_4x16x8(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %q = func.call @matmul_4x10x16(%p, %r) : (tensor<4x16xf32>, tensor<16x10xf32>) -> tensor<4x10xf32>
    %g = func.call @matmul_8x16x4(%x, %p) : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    accel.accumulate @w, %g : tensor<8x16xf32>
    dist.reduce_scatter [@"b.s.gradient"] over ["fsdp"]
    %yes = accel.constant dense<true> : tensor<i1>
    accel.write @accumulating, %yes : tensor<i1>
  }
  return
}

func.func private @matmul_4x16x8(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 64 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}
func.func private @matmul_4x10x16(%a: tensor<4x16xf32>, %b: tensor<16x10xf32>) -> tensor<4x10xf32> attributes {plan.kernel = {block = 16 : i64, columns = 10 : i64, elements = 40 : i64, kind = "product", rows = 4 : i64}} {
  %c = accel.matmul %a, %b : tensor<4x16xf32>, tensor<16x10xf32> -> tensor<4x10xf32>
  return %c : tensor<4x10xf32>
}
func.func private @matmul_8x16x4(%a: tensor<4x8xf32>, %b: tensor<4x16xf32>) -> (tensor<8x16xf32> {plan.accumulate}) attributes {plan.kernel = {block = 16 : i64, columns = 16 : i64, elements = 128 : i64, kind = "product", rows = 8 : i64}} {
  %c = accel.matmul %a, %b {transpose_lhs} : tensor<4x8xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}
