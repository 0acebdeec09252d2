// Exchanges of what microbatches read in another type than the update computes in, violated.
// RUN: accel-opt %s --accel-verify-partition --split-input-file --verify-diagnostics

// Owners initialize their parts, and nobody would have the rest in the first step.
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"m.d.compute" slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<compute>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %master = accel.read @"m.d.master" : tensor<128xf32>
  %rounded = accel.cast %master : tensor<128xf32> -> tensor<128xbf16>
  // expected-error@below {{expected 'm.d.compute' to be gathered from the ranks behind this write, got no dist.all_gather that does}}
  accel.write @"m.d.compute", %rounded : tensor<128xbf16>
  return
}

// -----

// A gather in front of the write gathers what was there before.
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"m.d.compute" slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<compute>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  // expected-error@below {{expected initialization to exchange what it has written in parts, along the axes of its ranks, got dist.all_gather of @m.d.compute along ["fsdp"]}}
  dist.all_gather [@"m.d.compute"] over ["fsdp"]
  %master = accel.read @"m.d.master" : tensor<128xf32>
  %rounded = accel.cast %master : tensor<128xf32> -> tensor<128xbf16>
  // expected-error@below {{expected 'm.d.compute' to be gathered from the ranks behind this write, got no dist.all_gather that does}}
  accel.write @"m.d.compute", %rounded : tensor<128xbf16>
  return
}

// -----

// What every rank holds whole and nobody has written, or what each keeps its part of, is not gathered; a second gather finds nothing new.
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"m.d.compute" slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<compute>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @"m.e.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "e">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %master = accel.read @"m.d.master" : tensor<128xf32>
  %rounded = accel.cast %master : tensor<128xf32> -> tensor<128xbf16>
  accel.write @"m.d.compute", %rounded : tensor<128xbf16>
  dist.all_gather [@"m.d.compute"] over ["fsdp"]
  // expected-error@below {{expected initialization to exchange what it has written in parts, along the axes of its ranks, got dist.all_gather of @m.d.master along ["fsdp"]}}
  // expected-error@below {{expected initialization to exchange what it has written in parts, along the axes of its ranks, got dist.all_gather of @m.e.master along ["fsdp"]}}
  dist.all_gather [@"m.d.master", @"m.e.master"] over ["fsdp"]
  // expected-error@below {{expected initialization to exchange what it has written in parts, along the axes of its ranks, got dist.all_gather of @m.d.compute along ["fsdp"]}}
  dist.all_gather [@"m.d.compute"] over ["fsdp"]
  return
}

// -----

// fsdp: microbatches read the compute slot, which is what must be there; the master is nobody's but its owner's.
accel.parameter @w : tensor<16x8xf32> trainable compute bf16 {segment = @"m.d.master", offset = 0 : i64}
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
// expected-error@below {{expected 'm.d.compute' to be gathered from the ranks in the loop, got no dist.all_gather that does}}
accel.state @"m.d.compute" slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<compute>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    // expected-error@below {{expected a state that ranks exchange, got @m.d.master}}
    dist.all_gather [@"m.d.master"] over ["fsdp"]
    // expected-error@below {{expected this use of @w behind the dist.all_gather of 'm.d.compute', got it in front}}
    %w = accel.read @w : tensor<16x8xbf16>
  }
  return
}

// -----

// zero=1: behind the update that has written it, once.
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"m.d.compute" slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<compute>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  %new = accel.constant dense<1.0> : tensor<128xf32>
  accel.write @"m.d.master", %new : tensor<128xf32>
  dist.all_gather [@"m.d.compute"] over ["fsdp"]
  %rounded = accel.cast %new : tensor<128xf32> -> tensor<128xbf16>
  // expected-error@below {{expected this use of @m.d.compute in front of the dist.all_gather of 'm.d.compute', got it behind}}
  accel.write @"m.d.compute", %rounded : tensor<128xbf16>
  return
}
