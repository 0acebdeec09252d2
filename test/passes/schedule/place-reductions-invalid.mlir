// RUN: accel-opt %s --accel-place-reductions --verify-diagnostics

// Gradients of two buckets are in memory at a time: a kernel that adds to three cannot be served.
accel.state @"a.s.gradient" : tensor<128xf32> {kind = "slot", bucket = "a", segment = "s", slot = "gradient", group = "decayed", dist.held = "part"}
accel.state @"b.s.gradient" : tensor<128xf32> {kind = "slot", bucket = "b", segment = "s", slot = "gradient", group = "decayed", dist.held = "part"}
accel.state @"c.s.gradient" : tensor<128xf32> {kind = "slot", bucket = "c", segment = "s", slot = "gradient", group = "decayed", dist.held = "part"}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %a_held = plan.buffer persistent gradients "a.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gradients : memref<128xf32>
  %a_part = plan.part %a {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b_held = plan.buffer persistent gradients "b.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer transient gradients : memref<128xf32>
  %b_part = plan.part %b {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %c_held = plan.buffer persistent gradients "c.s.gradient" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %c = plan.buffer transient gradients : memref<128xf32>
  %c_part = plan.part %c {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  plan.repeat {
    plan.fill %a : memref<128xf32>
    plan.fill %b : memref<128xf32>
    plan.fill %c : memref<128xf32>
    // expected-error@below {{'plan.launch' op uses gradients of 3 buckets, and 2 can be whole at the same time}}
    plan.launch @k(%a, %b, %c) [update, update, update] : memref<128xf32>, memref<128xf32>, memref<128xf32>
    plan.reduce_scatter "a.s.gradient" %a into %a_part {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    plan.launch @add_128(%a_part, %a_held) [read, update] {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    plan.reduce_scatter "b.s.gradient" %b into %b_part {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    plan.launch @add_128(%b_part, %b_held) [read, update] {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    plan.reduce_scatter "c.s.gradient" %c into %c_part {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    plan.launch @add_128(%c_part, %c_held) [read, update] {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  }
  return
}
