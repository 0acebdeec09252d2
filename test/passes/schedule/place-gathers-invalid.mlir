// RUN: accel-opt %s --accel-place-gathers --verify-diagnostics

// Two buckets are whole at a time: an instruction that reads three cannot be served.
accel.state @"a.s.master" : tensor<128xf32> {kind = "slot", bucket = "a", segment = "s", slot = "master", group = "decayed", dist.held = "part"}
accel.state @"b.s.master" : tensor<128xf32> {kind = "slot", bucket = "b", segment = "s", slot = "master", group = "decayed", dist.held = "part"}
accel.state @"c.s.master" : tensor<128xf32> {kind = "slot", bucket = "c", segment = "s", slot = "master", group = "decayed", dist.held = "part"}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %a_part = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gathered in shared : memref<128xf32>
  %b_part = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer transient gathered in shared : memref<128xf32>
  %c_part = plan.buffer persistent parameters "c.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %c = plan.buffer transient gathered in shared : memref<128xf32>
  plan.repeat {
    plan.all_gather "a.s.master" %a_part into %a {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    plan.all_gather "b.s.master" %b_part into %b {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    plan.all_gather "c.s.master" %c_part into %c {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    plan.launch @two(%a, %b) [read, read] : memref<128xf32>, memref<128xf32>
    // expected-error@below {{'plan.launch' op uses parameters of 3 buckets, and 2 can be whole at the same time}}
    plan.launch @three(%a, %b, %c) [read, read, read] : memref<128xf32>, memref<128xf32>, memref<128xf32>
  }
  return
}
