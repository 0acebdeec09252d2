// RUN: accel-opt %s --accel-place-reductions --verify-diagnostics --split-input-file

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
