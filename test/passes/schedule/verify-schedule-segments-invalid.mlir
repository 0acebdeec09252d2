// Collectives name the segment whose slot they move, as the module's buckets list it.
// RUN: accel-opt %s --accel-verify-schedule --split-input-file --verify-diagnostics

accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
func.func @missing() {
  %0 = plan.buffer persistent gradients "b.s.gradient" : memref<128xf32>
  // expected-error @+1 {{'plan.all_reduce' op expected to name #accel.segment_ref<@b "s">, as it moves 'b.s.gradient', got none}}
  plan.all_reduce %0 over ["fsdp"] : memref<128xf32>
  return
}

// -----

accel.bucket @b {granule = 128 : i64, segments = [
  #accel.segment<"s" group decayed, 128 elements>,
  #accel.segment<"u" group undecayed, 128 elements>]}
func.func @other() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %0 = plan.buffer transient gathered in shared : memref<128xf32>
  // expected-error @+1 {{'plan.all_gather' op expected to name #accel.segment_ref<@b "s">, as it moves 'b.s.master', got #accel.segment_ref<@b "u">}}
  plan.all_gather "b.s.master" %own into %0 {segment = #accel.segment_ref<@b "u">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  return
}

// -----

// No bucket lists it.
func.func @undeclared() {
  %0 = plan.buffer transient gradients : memref<128xf32>
  %1 = plan.part %0 {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  // expected-error @+1 {{'plan.reduce_scatter' op expected to name no segment, as it moves 'b.s.gradient', got #accel.segment_ref<@b "s">}}
  plan.reduce_scatter "b.s.gradient" %0 into %1 {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  return
}

// -----

// A state that is no slot has no segment.
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
func.func @no_slot() {
  %0 = plan.buffer persistent scalars "loss_sum" : memref<f64>
  // expected-error @+1 {{'plan.all_reduce' op expected to name no segment, as it moves 'loss_sum', got #accel.segment_ref<@b "s">}}
  plan.all_reduce %0 over ["fsdp"] {segment = #accel.segment_ref<@b "s">} : memref<f64>
  return
}
