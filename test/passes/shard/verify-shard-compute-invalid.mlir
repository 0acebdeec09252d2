// Segments whose parameters are read in another type than they are stored in: what of them contradicts itself is named.
// RUN: accel-opt %s --accel-verify-shard --split-input-file --verify-diagnostics

// Microbatches have nothing to read.
module {
  accel.parameter @w : tensor<16x8xf32> trainable compute bf16 {segment = @m.low.master, offset = 0 : i64}
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"low" group decayed, 128 elements of @w>]}
  // expected-error@below {{expected a compute slot beside 'm.low.master', whose parameters are read in another type, got none}}
  accel.state @m.low.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  accel.state @m.low.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
}

// -----

// The slot is of the type that its parameters are read in.
module {
  accel.parameter @w : tensor<16x8xf32> trainable compute bf16 {segment = @m.low.master, offset = 0 : i64}
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"low" group decayed, 128 elements of @w>]}
  accel.state @m.low.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  // expected-error@below {{expected slot 'm.low.compute' of type 'tensor<128xbf16>', as its master is 'tensor<128xf32>', got 'tensor<128xf16>'}}
  accel.state @m.low.compute slot : tensor<128xf16> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<compute>, group = #accel.group<decayed>}
  accel.state @m.low.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
}

// -----

// It is as long as its master.
module {
  accel.parameter @w : tensor<16x8xf32> compute bf16 {segment = @m.low.master, offset = 0 : i64}
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"low" group frozen, 128 elements of @w>]}
  accel.state @m.low.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<frozen>}
  // expected-error@below {{expected slot 'm.low.compute' of type 'tensor<128xbf16>', as its master is 'tensor<128xf32>', got 'tensor<256xbf16>'}}
  accel.state @m.low.compute slot : tensor<256xbf16> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<compute>, group = #accel.group<frozen>}
}

// -----

// One segment, one type.
module {
  accel.parameter @a : tensor<8x8xf32> compute bf16 {segment = @m.low.master, offset = 0 : i64}
  // expected-error@below {{expected all parameters of segment 'm.low.master' to be read in one type, got 'b' read in another one}}
  accel.parameter @b : tensor<8x8xf32> {segment = @m.low.master, offset = 64 : i64}
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"low" group frozen, 128 elements of @a, @b>]}
  // expected-error@below {{expected a compute slot beside 'm.low.master', whose parameters are read in another type, got none}}
  accel.state @m.low.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<frozen>}
}

// -----

// Before the first step microbatches would read whatever was there.
module {
  accel.parameter @w : tensor<16x8xf32> compute bf16 {segment = @m.low.master, offset = 0 : i64}
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"low" group frozen, 128 elements of @w>]}
  accel.state @m.low.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<frozen>}
  // expected-error@below {{expected 'm.low.compute' to be initialized once, to its master rounded, behind what is written to that, got 0 such writes}}
  accel.state @m.low.compute slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<compute>, group = #accel.group<frozen>}
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    %zero = accel.constant dense<0.0> : tensor<128xbf16>
    accel.write @m.low.compute, %zero : tensor<128xbf16>
    return
  }
}

// -----

// What is rounded is its own master.
module {
  accel.parameter @w : tensor<16x8xf32> compute bf16 {segment = @m.low.master, offset = 0 : i64}
  accel.parameter @v : tensor<16x8xf32> {segment = @m.other.master, offset = 0 : i64}
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"low" group frozen, 128 elements of @w>, #accel.segment<"other" group frozen, 128 elements of @v>]}
  accel.state @m.low.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<frozen>}
  // expected-error@below {{expected 'm.low.compute' to be initialized once, to its master rounded, behind what is written to that, got 0 such writes}}
  accel.state @m.low.compute slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<compute>, group = #accel.group<frozen>}
  accel.state @m.other.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "other">, slot = #accel.slot<master>, group = #accel.group<frozen>}
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    %other = accel.read @m.other.master : tensor<128xf32>
    %rounded = accel.cast %other : tensor<128xf32> -> tensor<128xbf16>
    accel.write @m.low.compute, %rounded : tensor<128xbf16>
    return
  }
}

// -----

// A second write is one too many, even of the same.
module {
  accel.parameter @w : tensor<16x8xf32> compute bf16 {segment = @m.low.master, offset = 0 : i64}
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"low" group frozen, 128 elements of @w>]}
  accel.state @m.low.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<frozen>}
  // expected-error@below {{expected 'm.low.compute' to be initialized once, to its master rounded, behind what is written to that, got 2 such writes}}
  accel.state @m.low.compute slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<compute>, group = #accel.group<frozen>}
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    %master = accel.read @m.low.master : tensor<128xf32>
    %rounded = accel.cast %master : tensor<128xf32> -> tensor<128xbf16>
    accel.write @m.low.compute, %rounded : tensor<128xbf16>
    accel.write @m.low.compute, %rounded : tensor<128xbf16>
    return
  }
}

// -----

// A step casts what it writes to the master, not what was there.
module {
  accel.parameter @w : tensor<16x8xf32> trainable compute bf16 {segment = @m.low.master, offset = 0 : i64}
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"low" group decayed, 128 elements of @w>]}
  accel.state @m.low.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  accel.state @m.low.compute slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<compute>, group = #accel.group<decayed>}
  accel.state @m.low.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
  func.func @step(%new: tensor<128xf32>) attributes {accel.role = #accel.role<step>} {
    %one = accel.constant dense<1.0> : tensor<f64>
    %zero = accel.constant dense<0.0> : tensor<f64>
    %finite = accel.compare le, %zero, %one : tensor<f64> -> tensor<i1>
    %metric = accel.select %finite, %one, %zero : tensor<i1>, tensor<f64>
    accel.metric "finite", %metric : tensor<f64>
    %old = accel.read @m.low.master : tensor<128xf32>
    %all = accel.broadcast %finite [] : tensor<i1> -> tensor<128xi1>
    %chosen = accel.select %all, %new, %old : tensor<128xi1>, tensor<128xf32>
    accel.write @m.low.master, %chosen : tensor<128xf32>
    %stale = accel.cast %old : tensor<128xf32> -> tensor<128xbf16>
    // expected-error@below {{expected 'm.low.compute' to get what is written to its master, rounded, got another value}}
    accel.write @m.low.compute, %stale : tensor<128xbf16>
    %rounded = accel.cast %chosen : tensor<128xf32> -> tensor<128xbf16>
    // expected-error@below {{expected one write of 'm.low.compute' in a step, got a second one}}
    accel.write @m.low.compute, %rounded : tensor<128xbf16>
    return
  }
}

// -----

// In zero1 and zero2 a rank holds its part of a master beside which microbatches read another slot.
accel.state @"b.low.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.low.compute" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<compute>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
// expected-error@below {{expected slot 'b.low.gradient' to be held as mode zero1 or zero2 holds it, got it not cut}}
accel.state @"b.low.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}

// -----

// All ranks read the same: a compute slot of which each has its part is of mode fsdp.
accel.state @"b.low.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.low.compute" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<compute>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
// expected-error@below {{expected slot 'b.low.gradient' to be held as mode fsdp holds it, got whole}}
accel.state @"b.low.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
