// RUN: accel-opt %s --accel-place-reductions --verify-diagnostics --split-input-file

// Gradients of two buckets are in memory at a time: a kernel that adds to three cannot be served.
accel.state @"a.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"c.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@c "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
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
    // expected-error@below {{'plan.launch' op uses gradients of 3 buckets, and 2 can be whole at the same time}}
    plan.launch @k(%a, %b, %c) [update, update, update] : memref<128xf32>, memref<128xf32>, memref<128xf32>
    dist.reduce_scatter [@"a.s.gradient", @"b.s.gradient", @"c.s.gradient"] over ["fsdp"]
    plan.fill %flag {is_true} : memref<i8>
  }
  return
}

func.func private @accumulate_128(%x: tensor<128xf32>, %keep: tensor<i1>) -> (tensor<128xf32> {plan.accumulate = 1 : i64}) attributes {plan.adds_reduced, plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<128xf32>
}

// -----

accel.state @"a.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %a_held = plan.buffer persistent gradients "a.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gradients "a.s.gradient" : memref<128xf32>
  plan.repeat {
    // expected-error@below {{'dist.reduce_scatter' op expected a buffer of 'accumulating' and a kernel with `plan.adds_reduced` for 'tensor<128xf32>', got no such buffer}}
    dist.reduce_scatter [@"a.s.gradient"] over ["fsdp"]
  }
  return
}

// -----

accel.state @"a.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %a_held = plan.buffer persistent gradients "a.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gradients "a.s.gradient" : memref<128xf32>
  %flag = plan.buffer persistent scalars "accumulating" : memref<i8>
  plan.repeat {
    // expected-error@below {{'dist.reduce_scatter' op expected a buffer of 'accumulating' and a kernel with `plan.adds_reduced` for 'tensor<128xf32>', got no such kernel}}
    dist.reduce_scatter [@"a.s.gradient"] over ["fsdp"]
  }
  return
}
