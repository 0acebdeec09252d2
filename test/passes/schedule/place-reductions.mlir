// RUN: accel-opt %s --accel-place-reductions --split-input-file | FileCheck %s
// With streams and events it is what the verifiers want.
// RUN: accel-opt %s --accel-place-reductions --accel-assign-streams --accel-insert-events --accel-verify-schedule --split-input-file

accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 256 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 256 elements>]}
accel.bucket @c {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.state @"a.s.gradient" slot : tensor<256xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.s.gradient" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"c.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@c "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}

// Backward completes c, b, a. What a product overwrites needs no zeros: its first product no longer adds, the second one
// does. The rest of b, which a kernel reads and gaps lie in, is filled, and all of a, which a kernel reads in front of the product.
// Each is summed behind the last instruction that adds to it; the rank adds its part of c before a takes its buffer, the others'
// at the end.
// CHECK-LABEL: func.func @step
// CHECK-NOT: plan.buffer transient gradients : memref<128xf32>
// CHECK: %[[BUFFER0:.+]] = plan.buffer transient gradients : memref<256xf32>
// CHECK-NEXT: %[[BUFFER1:.+]] = plan.buffer transient gradients : memref<256xf32>
// CHECK-NOT: plan.buffer
// CHECK-NEXT: %[[C:.+]] = plan.view %[[BUFFER0]] at 0 : memref<256xf32> to memref<128xf32>
// CHECK: plan.repeat {
// CHECK-NEXT: plan.launch @product_first(%{{.+}}, %{{.+}}, %{{.+}}) [read, read, write]
// CHECK-NEXT: plan.reduce_scatter "c.s.gradient" %[[C]] into %[[CPART:.+]] {segment = #accel.segment_ref<@c "s">, shard = #plan.shard<128 granule 128 over "fsdp">}
// CHECK: plan.fill %[[REST:.+]] : memref<128xf32>
// CHECK-NEXT: plan.launch @product_first(%{{.+}}, %{{.+}}, %[[W:.+]]) [read, read, write]
// CHECK-NEXT: plan.launch @product(%{{.+}}, %{{.+}}, %{{.+}}) [read, read, update] : memref<16x4xf32>, memref<4x8xf32>, memref<16x8xf32>
// CHECK-NEXT: plan.launch @bias(%{{.+}}) [read] : memref<32xf32>
// CHECK-NEXT: plan.reduce_scatter "b.s.gradient" %[[B:.+]] into %[[BPART:.+]] {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: plan.launch @accumulate_128(%[[CPART]], %{{.+}}, %[[CHELD:.+]]) [read, read, update] {shard = #plan.shard<128 granule 128 over "fsdp">}
// CHECK-NEXT: plan.fill %[[A:.+]] : memref<256xf32>
// CHECK-NEXT: plan.launch @embed(%{{.+}}) [read] : memref<16x8xf32>
// CHECK-NEXT: plan.launch @product(%{{.+}}, %{{.+}}, %{{.+}}) [read, read, update]
// CHECK-NEXT: plan.reduce_scatter "a.s.gradient" %[[A]] into %[[APART:.+]] {
// CHECK-NEXT: plan.launch @accumulate_256(%[[BPART]], %{{.+}}, %{{.+}}) [read, read, update] {shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: plan.launch @accumulate_256(%[[APART]], %{{.+}}, %{{.+}}) [read, read, update] {shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: plan.fill %{{.+}} {is_true}
// CHECK-NEXT: }
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" : memref<16x4xf32>
  %y = plan.buffer io io "y" : memref<4x8xf32>
  %flag = plan.buffer persistent scalars "accumulating" : memref<i8>
  %a_held = plan.buffer persistent gradients "a.s.gradient" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %a = plan.buffer transient gradients "a.s.gradient" : memref<256xf32>
  %b_held = plan.buffer persistent gradients "b.s.gradient" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %b = plan.buffer transient gradients "b.s.gradient" : memref<256xf32>
  %c_held = plan.buffer persistent gradients "c.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %c = plan.buffer transient gradients "c.s.gradient" : memref<128xf32>
  %aw = plan.view %a at 0 : memref<256xf32> to memref<16x8xf32>
  %bw = plan.view %b at 0 : memref<256xf32> to memref<16x8xf32>
  %bb = plan.view %b at 128 : memref<256xf32> to memref<32xf32>
  %cw = plan.view %c at 0 : memref<128xf32> to memref<16x8xf32>
  plan.fill %flag : memref<i8>
  plan.repeat {
    plan.launch @product(%x, %y, %cw) [read, read, update] : memref<16x4xf32>, memref<4x8xf32>, memref<16x8xf32>
    plan.launch @product(%x, %y, %bw) [read, read, update] : memref<16x4xf32>, memref<4x8xf32>, memref<16x8xf32>
    plan.launch @product(%x, %y, %bw) [read, read, update] : memref<16x4xf32>, memref<4x8xf32>, memref<16x8xf32>
    plan.launch @bias(%bb) [read] : memref<32xf32>
    plan.launch @embed(%aw) [read] : memref<16x8xf32>
    plan.launch @product(%x, %y, %aw) [read, read, update] : memref<16x4xf32>, memref<4x8xf32>, memref<16x8xf32>
    dist.reduce_scatter [@"a.s.gradient", @"b.s.gradient", @"c.s.gradient"] over ["fsdp"]
    plan.fill %flag {is_true} : memref<i8>
  }
  return
}

func.func private @product(%x: tensor<16x4xf32>, %y: tensor<4x8xf32>) -> (tensor<16x8xf32> {plan.accumulate}) attributes {plan.kernel = {block = 16 : i64, columns = 8 : i64, elements = 128 : i64, kind = "product", rows = 16 : i64}} {
  %z = accel.matmul %x, %y : tensor<16x4xf32>, tensor<4x8xf32> -> tensor<16x8xf32>
  return %z : tensor<16x8xf32>
}

func.func private @accumulate_256(%x: tensor<256xf32>, %keep: tensor<i1>) -> (tensor<256xf32> {plan.accumulate = 1 : i64}) attributes {plan.adds_reduced, plan.kernel = {columns = 256 : i64, elements = 256 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<256xf32>
}

func.func private @accumulate_128(%x: tensor<128xf32>, %keep: tensor<i1>) -> (tensor<128xf32> {plan.accumulate = 1 : i64}) attributes {plan.adds_reduced, plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<128xf32>
}

func.func private @bias(%a0: tensor<32xf32>) attributes {plan.kernel = {columns = 32 : i64, elements = 32 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
func.func private @embed(%a0: tensor<16x8xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

accel.bucket @t {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.state @"t.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@t "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"a.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}

// A weight that is used at both ends of the model: each of its contributions is summed when it is complete, and both are added
// to what the rank holds. The second one does not add to the first, which has left its buffer.
// CHECK-LABEL: func.func @step
// CHECK: plan.repeat {
// CHECK-NEXT: plan.launch @product(%{{.+}}, %{{.+}}, %{{.+}}) [read, read, write]
// CHECK-NEXT: plan.reduce_scatter "t.s.gradient" %{{.+}} into %[[HEAD:.+]] {
// CHECK-NEXT: plan.launch @product(%{{.+}}, %{{.+}}, %{{.+}}) [read, read, write]
// CHECK-NEXT: plan.reduce_scatter "a.s.gradient" %{{.+}} into %[[A:.+]] {
// CHECK-NEXT: plan.launch @accumulate_128(%[[HEAD]], %{{.+}}, %[[HELD:.+]]) [read, read, update]
// CHECK-NEXT: plan.launch @product(%{{.+}}, %{{.+}}, %{{.+}}) [read, read, write]
// CHECK-NEXT: plan.reduce_scatter "b.s.gradient" %{{.+}} into %[[B:.+]] {
// CHECK-NEXT: plan.launch @accumulate_128(%[[A]], %{{.+}}, %{{.+}}) [read, read, update]
// CHECK-NEXT: plan.fill %[[T:.+]] : memref<128xf32>
// CHECK-NEXT: plan.launch @embed(%{{.+}}) [read]
// CHECK-NEXT: plan.reduce_scatter "t.s.gradient" %[[T]] into %[[TAIL:.+]] {
// CHECK-NEXT: plan.launch @accumulate_128(%[[B]], %{{.+}}, %{{.+}}) [read, read, update]
// CHECK-NEXT: plan.launch @accumulate_128_first(%[[TAIL]], %[[HELD]]) [read, update]
// CHECK-NEXT: plan.fill %{{.+}} {is_true}
// CHECK-NEXT: }
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" : memref<16x4xf32>
  %y = plan.buffer io io "y" : memref<4x8xf32>
  %flag = plan.buffer persistent scalars "accumulating" : memref<i8>
  %t_held = plan.buffer persistent gradients "t.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %t = plan.buffer transient gradients "t.s.gradient" : memref<128xf32>
  %a_held = plan.buffer persistent gradients "a.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gradients "a.s.gradient" : memref<128xf32>
  %b_held = plan.buffer persistent gradients "b.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer transient gradients "b.s.gradient" : memref<128xf32>
  %tw = plan.view %t at 0 : memref<128xf32> to memref<16x8xf32>
  %aw = plan.view %a at 0 : memref<128xf32> to memref<16x8xf32>
  %bw = plan.view %b at 0 : memref<128xf32> to memref<16x8xf32>
  plan.fill %flag : memref<i8>
  plan.repeat {
    plan.launch @product(%x, %y, %tw) [read, read, update] : memref<16x4xf32>, memref<4x8xf32>, memref<16x8xf32>
    plan.launch @product(%x, %y, %aw) [read, read, update] : memref<16x4xf32>, memref<4x8xf32>, memref<16x8xf32>
    plan.launch @product(%x, %y, %bw) [read, read, update] : memref<16x4xf32>, memref<4x8xf32>, memref<16x8xf32>
    plan.launch @embed(%tw) [read] : memref<16x8xf32>
    dist.reduce_scatter [@"t.s.gradient", @"a.s.gradient", @"b.s.gradient"] over ["fsdp"]
    plan.fill %flag {is_true} : memref<i8>
  }
  return
}

func.func private @product(%x: tensor<16x4xf32>, %y: tensor<4x8xf32>) -> (tensor<16x8xf32> {plan.accumulate}) attributes {plan.kernel = {block = 16 : i64, columns = 8 : i64, elements = 128 : i64, kind = "product", rows = 16 : i64}} {
  %z = accel.matmul %x, %y : tensor<16x4xf32>, tensor<4x8xf32> -> tensor<16x8xf32>
  return %z : tensor<16x8xf32>
}

func.func private @accumulate_128(%x: tensor<128xf32>, %keep: tensor<i1>) -> (tensor<128xf32> {plan.accumulate = 1 : i64}) attributes {plan.adds_reduced, plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<128xf32>
}

func.func private @embed(%a0: tensor<16x8xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.bucket @c {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.state @"a.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"c.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@c "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}

// An instruction that adds to the gradients of three buckets has three buffers.
// CHECK-LABEL: func.func @step
// CHECK-COUNT-3: plan.buffer transient gradients : memref<128xf32>
// CHECK-NOT: plan.buffer
// CHECK: plan.launch @three(%[[A:.+]], %[[B:.+]], %[[C:.+]]) [read, read, read]
// CHECK-DAG: plan.reduce_scatter "a.s.gradient" %[[A]] into
// CHECK-DAG: plan.reduce_scatter "b.s.gradient" %[[B]] into
// CHECK-DAG: plan.reduce_scatter "c.s.gradient" %[[C]] into
func.func @step() attributes {accel.role = #accel.role<step>} {
  %flag = plan.buffer persistent scalars "accumulating" : memref<i8>
  %a_held = plan.buffer persistent gradients "a.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gradients "a.s.gradient" : memref<128xf32>
  %b_held = plan.buffer persistent gradients "b.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer transient gradients "b.s.gradient" : memref<128xf32>
  %c_held = plan.buffer persistent gradients "c.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %c = plan.buffer transient gradients "c.s.gradient" : memref<128xf32>
  plan.fill %flag : memref<i8>
  plan.repeat {
    plan.launch @three(%a, %b, %c) [read, read, read] : memref<128xf32>, memref<128xf32>, memref<128xf32>
    dist.reduce_scatter [@"a.s.gradient", @"b.s.gradient", @"c.s.gradient"] over ["fsdp"]
    plan.fill %flag {is_true} : memref<i8>
  }
  return
}

func.func private @accumulate_128(%x: tensor<128xf32>, %keep: tensor<i1>) -> (tensor<128xf32> {plan.accumulate = 1 : i64}) attributes {plan.adds_reduced, plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<128xf32>
}

func.func private @three(%a0: tensor<128xf32>, %a1: tensor<128xf32>, %a2: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
