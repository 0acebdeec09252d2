// RUN: accel-opt %s --accel-place-reductions | FileCheck %s
// RUN: accel-opt %s --accel-place-reductions --accel-assign-streams --accel-insert-events --accel-verify-schedule

accel.bucket @t {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.state @"t.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@t "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"a.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}

// A kernel that is the first to add to its part of a buffer stores it, in a copy of its own if others go on adding; what no kernel
// stores is filled. A weight that is used at both ends of the model has two sums, of which the first takes the place of what the
// rank held in the step before, if it is the first microbatch, and the second is always added. The kernel that adds sums is found by
// its attribute, whatever its name.
// CHECK-LABEL: func.func @step
// CHECK: %[[FLAG:.+]] = plan.buffer persistent scalars "accumulating" : memref<i8>
// CHECK: plan.repeat {
// CHECK: plan.launch @sum_first(%[[X:.+]], %[[T:.+]]) [read, write] : memref<4x128xf32>, memref<128xf32>
// CHECK-NEXT: plan.launch @sum(%[[X]], %[[T]]) [read, update] : memref<4x128xf32>, memref<128xf32>
// CHECK-NEXT: plan.reduce_scatter "t.s.gradient" %[[T]] into %[[HEAD:.+]] {
// CHECK-NEXT: plan.view
// CHECK-NEXT: plan.fill %{{.+}} : memref<64xf32>
// CHECK-NEXT: plan.launch @half(%{{.+}}, %{{.+}}) [read, write] : memref<4x64xf32>, memref<64xf32>
// CHECK-NEXT: plan.reduce_scatter "a.s.gradient" %{{.+}} into %[[A:.+]] {
// CHECK-NEXT: plan.launch @add_part(%[[HEAD]], %[[FLAG]], %[[HELD:.+]]) [read, read, update]
// CHECK-NEXT: plan.launch @sum_first(%[[X]], %{{.+}}) [read, write]
// CHECK-NEXT: plan.reduce_scatter "b.s.gradient" %{{.+}} into %[[B:.+]] {
// CHECK-NEXT: plan.launch @add_part(%[[A]], %[[FLAG]], %{{.+}}) [read, read, update]
// CHECK-NEXT: plan.launch @sum_first(%[[X]], %{{.+}}) [read, write]
// CHECK-NEXT: plan.reduce_scatter "t.s.gradient" %{{.+}} into %[[TAIL:.+]] {
// CHECK-NEXT: plan.launch @add_part(%[[B]], %[[FLAG]], %{{.+}}) [read, read, update]
// CHECK-NEXT: plan.launch @add_part_first(%[[TAIL]], %[[HELD]]) [read, update]
// CHECK-NEXT: plan.fill %[[FLAG]] {is_true} : memref<i8>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" : memref<4x128xf32>
  %y = plan.buffer io io "y" : memref<4x64xf32>
  %flag = plan.buffer persistent scalars "accumulating" : memref<i8>
  %t_held = plan.buffer persistent gradients "t.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %t = plan.buffer transient gradients "t.s.gradient" : memref<128xf32>
  %a_held = plan.buffer persistent gradients "a.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gradients "a.s.gradient" : memref<128xf32>
  %b_held = plan.buffer persistent gradients "b.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer transient gradients "b.s.gradient" : memref<128xf32>
  %aw = plan.view %a at 64 : memref<128xf32> to memref<64xf32>
  plan.fill %flag : memref<i8>
  plan.repeat {
    plan.launch @sum(%x, %t) [read, update] : memref<4x128xf32>, memref<128xf32>
    plan.launch @sum(%x, %t) [read, update] : memref<4x128xf32>, memref<128xf32>
    plan.launch @half(%y, %aw) [read, update] : memref<4x64xf32>, memref<64xf32>
    plan.launch @sum(%x, %b) [read, update] : memref<4x128xf32>, memref<128xf32>
    plan.launch @sum(%x, %t) [read, update] : memref<4x128xf32>, memref<128xf32>
    dist.reduce_scatter [@"t.s.gradient", @"a.s.gradient", @"b.s.gradient"] over ["fsdp"]
    plan.fill %flag {is_true} : memref<i8>
  }
  return
}
// CHECK: func.func private @sum(%{{.+}}: tensor<4x128xf32>) -> (tensor<128xf32> {plan.accumulate})
// CHECK: func.func private @sum_first(%{{.+}}: tensor<4x128xf32>) -> tensor<128xf32>
func.func private @sum(%x: tensor<4x128xf32>) -> (tensor<128xf32> {plan.accumulate}) attributes {plan.kernel = {columns = 128 : i64, elements = 512 : i64, kind = "columns", rows = 4 : i64}} {
  %s = accel.reduce_sum %x [0] : tensor<4x128xf32> -> tensor<128xf32>
  return %s : tensor<128xf32>
}
// CHECK: func.func private @half(%{{.+}}: tensor<4x64xf32>) -> tensor<64xf32>
func.func private @half(%x: tensor<4x64xf32>) -> (tensor<64xf32> {plan.accumulate}) attributes {plan.kernel = {columns = 64 : i64, elements = 256 : i64, kind = "columns", rows = 4 : i64}} {
  %s = accel.reduce_sum %x [0] : tensor<4x64xf32> -> tensor<64xf32>
  return %s : tensor<64xf32>
}
// CHECK: func.func private @add_part(%{{.+}}: tensor<128xf32>, %{{.+}}: tensor<i1>) -> (tensor<128xf32> {plan.accumulate = 1 : i64})
// CHECK: func.func private @add_part_first(%{{.+}}: tensor<128xf32>) -> (tensor<128xf32> {plan.accumulate})
func.func private @add_part(%x: tensor<128xf32>, %keep: tensor<i1>) -> (tensor<128xf32> {plan.accumulate = 1 : i64}) attributes {plan.adds_reduced, plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<128xf32>
}
