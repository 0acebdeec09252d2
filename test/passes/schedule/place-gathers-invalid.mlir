// RUN: accel-opt %s --accel-place-gathers --verify-diagnostics --split-input-file

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
