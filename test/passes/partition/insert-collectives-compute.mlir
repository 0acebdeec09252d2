// What microbatches read in another type is exchanged in that type, and its master is not.
// RUN: accel-opt %s --accel-insert-collectives --split-input-file | FileCheck %s
// It is what the verifier wants.
// RUN: accel-opt %s --accel-insert-collectives --accel-verify-partition --split-input-file -o /dev/null

// zero=1: behind the update, and behind the initialization, since before the first step there was no update.
module {
  accel.state @loss_sum accumulator : tensor<f64>
  accel.state @"a.low.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "low">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"a.low.compute" slot : tensor<128xbf16> {segment = #accel.segment_ref<@a "low">, slot = #accel.slot<compute>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.state @"a.low.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.state @"a.low.first_moment" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "low">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"a.wide.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "wide">, slot = #accel.slot<master>, group = #accel.group<undecayed>, dist.held = #dist.held<whole>}
  accel.state @"a.wide.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "wide">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>, dist.held = #dist.held<whole>}
  accel.state @"b.low.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"b.low.compute" slot : tensor<128xbf16> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<compute>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.state @"b.low.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.parameter @w : tensor<16x8xf32> trainable compute bf16 {segment = @"a.low.master", offset = 0 : i64}
  accel.parameter @bias : tensor<128xf32> trainable {segment = @"a.wide.master", offset = 0 : i64}
  accel.parameter @v : tensor<16x8xf32> trainable compute bf16 {segment = @"b.low.master", offset = 0 : i64}
  // Parameters and moments are initialized where they are held.
  // CHECK-LABEL: func.func @init
  // CHECK: accel.write @a.low.compute
  // CHECK-NOT: dist.
  // CHECK: accel.write @b.low.compute
  // CHECK-NEXT: dist.all_gather [@a.low.compute, @b.low.compute] over ["fsdp"]
  // CHECK-NEXT: return
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    %zeros = accel.constant dense<0.0> : tensor<16x8xf32>
    accel.write @w, %zeros : tensor<16x8xf32>
    %master = accel.read @"a.low.master" : tensor<128xf32>
    %rounded = accel.cast %master : tensor<128xf32> -> tensor<128xbf16>
    accel.write @"a.low.compute", %rounded : tensor<128xbf16>
    %none = accel.constant dense<0.0> : tensor<128xf32>
    accel.write @"a.low.first_moment", %none : tensor<128xf32>
    %other = accel.read @"b.low.master" : tensor<128xf32>
    %narrow = accel.cast %other : tensor<128xf32> -> tensor<128xbf16>
    accel.write @"b.low.compute", %narrow : tensor<128xbf16>
    return
  }
  // CHECK-LABEL: func.func @step
  // CHECK: accel.repeat
  // CHECK-NOT: dist.
  // CHECK: }
  // CHECK-NEXT: dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  // CHECK-NEXT: dist.reduce_scatter [@a.low.gradient, @a.wide.gradient, @b.low.gradient] over ["fsdp"]
  // CHECK-NOT: dist.
  // CHECK: accel.write @b.low.compute
  // CHECK-NEXT: dist.all_gather [@a.low.compute, @a.wide.master, @b.low.compute] over ["fsdp"]
  // CHECK-NEXT: return
  func.func @step() attributes {accel.role = #accel.role<step>} {
    %x = accel.constant dense<1.0> : tensor<f64>
    %g = accel.constant dense<1.0> : tensor<16x8xf32>
    %r = accel.constant dense<1.0> : tensor<128xf32>
    accel.repeat {
      %w = accel.read @w : tensor<16x8xbf16>
      %bias = accel.read @bias : tensor<128xf32>
      %v = accel.read @v : tensor<16x8xbf16>
      accel.accumulate @w, %g : tensor<16x8xf32>
      accel.accumulate @bias, %r : tensor<128xf32>
      accel.accumulate @v, %g : tensor<16x8xf32>
      accel.accumulate @loss_sum, %x : tensor<f64>
    }
    %p = accel.read @"a.low.gradient" : tensor<128xf32>
    accel.write @"a.low.master", %p : tensor<128xf32>
    %rounded = accel.cast %p : tensor<128xf32> -> tensor<128xbf16>
    accel.write @"a.low.compute", %rounded : tensor<128xbf16>
    accel.write @"a.wide.master", %p : tensor<128xf32>
    accel.write @"b.low.master", %p : tensor<128xf32>
    accel.write @"b.low.compute", %rounded : tensor<128xbf16>
    return
  }
}

// -----

// fsdp: in every microbatch, the frozen ones too. Initialization gathers nothing, as the first microbatch does.
module {
  accel.state @"a.low.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "low">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"a.low.compute" slot : tensor<128xbf16> {segment = #accel.segment_ref<@a "low">, slot = #accel.slot<compute>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"a.low.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"a.frozen.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>, dist.held = #dist.held<part>}
  accel.state @"a.frozen.compute" slot : tensor<128xbf16> {segment = #accel.segment_ref<@a "frozen">, slot = #accel.slot<compute>, group = #accel.group<frozen>, dist.held = #dist.held<part>}
  accel.parameter @w : tensor<16x8xf32> trainable compute bf16 {segment = @"a.low.master", offset = 0 : i64}
  accel.parameter @f : tensor<16x8xf32> compute bf16 {segment = @"a.frozen.master", offset = 0 : i64}
  // CHECK-LABEL: func.func @init
  // CHECK-NOT: dist.
  // CHECK: return
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    %master = accel.read @"a.low.master" : tensor<128xf32>
    %rounded = accel.cast %master : tensor<128xf32> -> tensor<128xbf16>
    accel.write @"a.low.compute", %rounded : tensor<128xbf16>
    return
  }
  // CHECK-LABEL: func.func @step
  // CHECK: accel.repeat
  // CHECK-NEXT: dist.all_gather [@a.low.compute, @a.frozen.compute] over ["fsdp"]
  // CHECK-NEXT: accel.read @w
  // CHECK-NEXT: accel.read @f
  // CHECK-NEXT: accel.accumulate @w
  // CHECK-NEXT: dist.reduce_scatter [@a.low.gradient] over ["fsdp"]
  // CHECK-NEXT: }
  // CHECK-NOT: dist.
  // CHECK: return
  func.func @step() attributes {accel.role = #accel.role<step>} {
    %g = accel.constant dense<1.0> : tensor<16x8xf32>
    accel.repeat {
      %w = accel.read @w : tensor<16x8xbf16>
      %f = accel.read @f : tensor<16x8xbf16>
      accel.accumulate @w, %g : tensor<16x8xf32>
    }
    %p = accel.read @"a.low.gradient" : tensor<128xf32>
    accel.write @"a.low.master", %p : tensor<128xf32>
    %rounded = accel.cast %p : tensor<128xf32> -> tensor<128xbf16>
    accel.write @"a.low.compute", %rounded : tensor<128xbf16>
    return
  }
}
