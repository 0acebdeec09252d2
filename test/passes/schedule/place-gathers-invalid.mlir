// RUN: accel-opt %s --accel-place-gathers --verify-diagnostics --split-input-file

// Two buckets are whole at a time: an instruction that reads three cannot be served.
accel.state @"a.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"c.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@c "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %a_part = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gathered in shared "a.s.master" : memref<128xf32>
  %b_part = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer transient gathered in shared "b.s.master" : memref<128xf32>
  %c_part = plan.buffer persistent parameters "c.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %c = plan.buffer transient gathered in shared "c.s.master" : memref<128xf32>
  plan.repeat {
    dist.all_gather [@"a.s.master", @"b.s.master", @"c.s.master"] over ["fsdp"]
    plan.launch @two(%a, %b) [read, read] : memref<128xf32>, memref<128xf32>
    // expected-error@below {{'plan.launch' op uses parameters of 3 buckets, and 2 can be whole at the same time}}
    plan.launch @three(%a, %b, %c) [read, read, read] : memref<128xf32>, memref<128xf32>, memref<128xf32>
  }
  return
}

// -----

// What the ranks hold of the slot, and where all of it goes, must be declared.
accel.state @"a.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %a_part = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  plan.repeat {
    // expected-error@below {{'dist.all_gather' op expected 'a.s.master' to be a slot of a bucket, with a sharded persistent buffer for the rank's part and a transient one for all of it}}
    dist.all_gather [@"a.s.master"] over ["fsdp"]
  }
  return
}
