// RUN: accel-opt %s --accel-verify-schedule --split-input-file --verify-diagnostics

accel.bucket @before {granule = 128 : i64, segments = []}
accel.bucket @block0 {granule = 128 : i64, layer = 0 : i64, segments = []}
accel.bucket @block1 {granule = 128 : i64, layer = 1 : i64, segments = []}
accel.state @block0.s.master slot : tensor<128xf32> {segment = #accel.segment_ref<@block0 "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
func.func @wrong() {
  %b = plan.buffer persistent parameters "block0.s.master" : memref<128xf32>
  // expected-error@below {{touches slots of layer 0, but says that it works for layer 1}}
  plan.fill %b {layer = 1 : i64} : memref<128xf32>
  return
}

// -----

accel.bucket @block0 {granule = 128 : i64, layer = 0 : i64, segments = []}
accel.state @block0.s.master slot : tensor<128xf32> {segment = #accel.segment_ref<@block0 "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
func.func @missing() {
  %b = plan.buffer persistent parameters "block0.s.master" : memref<128xf32>
  %x = plan.buffer transient activations : memref<128xf32>
  plan.fill %x {layer = 0 : i64} : memref<128xf32>
  // expected-error@below {{touches slots of layer 0, but says that it works for no layer}}
  plan.copy %x to %b : memref<128xf32>, memref<128xf32>
  return
}

// -----

accel.bucket @before {granule = 128 : i64, segments = []}
accel.state @before.s.master slot : tensor<128xf32> {segment = #accel.segment_ref<@before "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
func.func @none() {
  %b = plan.buffer persistent parameters "before.s.master" : memref<128xf32>
  // expected-error@below {{touches slots of no layer, but says that it works for layer 0}}
  plan.fill %b {layer = 0 : i64} : memref<128xf32>
  return
}

// -----

// What ranks exchange, wherever it lies.
accel.bucket @block1 {granule = 128 : i64, layer = 1 : i64, segments = []}
accel.state @block1.s.master slot : tensor<256xf32> {segment = #accel.segment_ref<@block1 "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
func.func @gather() {
  %p = plan.buffer transient activations : memref<256xf32>
  %own = plan.part %p {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %w = plan.buffer transient gathered in shared : memref<256xf32>
  // expected-error@below {{touches slots of layer 1, but says that it works for layer 0}}
  plan.all_gather "block1.s.master" %own into %w {layer = 0 : i64, shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

// Buckets take turns in such memory: another layer's gradient may lie there, but what names a layer touches no other's slots.
accel.bucket @block0 {granule = 128 : i64, layer = 0 : i64, segments = []}
accel.state @block0.s.master slot : tensor<128xf32> {segment = #accel.segment_ref<@block0 "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
func.func @turns() {
  %b = plan.buffer persistent parameters "block0.s.master" : memref<128xf32>
  %g = plan.buffer transient gradients : memref<128xf32>
  plan.fill %g {layer = 0 : i64} : memref<128xf32>
  plan.copy %b to %g : memref<128xf32>, memref<128xf32>
  // expected-error@below {{touches slots of layer 0, but says that it works for layer 1}}
  plan.copy %b to %g {layer = 1 : i64} : memref<128xf32>, memref<128xf32>
  return
}
