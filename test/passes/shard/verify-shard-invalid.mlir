// RUN: accel-opt %s --accel-verify-shard --split-input-file --verify-diagnostics

// Outside, misaligned, over another one, of the wrong kind: each parameter is named.
module {
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 128 elements of @a, @b, @c, @d>]}
  accel.state @m.decayed.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  accel.state @m.decayed.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
  accel.parameter @a : tensor<20xf32> trainable {segment = @m.decayed.master, offset = 0 : i64}
  // expected-error@below {{expected parameters apart in segment 'm.decayed.master', got 'a' up to 20 and 'b' from 16}}
  accel.parameter @b : tensor<20xf32> trainable {segment = @m.decayed.master, offset = 16 : i64}
  // expected-error@below {{expected parameter 'c' (20 elements) at a multiple of 16 inside the 128 elements of its segment, got offset 56}}
  accel.parameter @c : tensor<20xf32> trainable {segment = @m.decayed.master, offset = 56 : i64}
  // expected-error@below {{expected parameter 'd' (20 elements) at a multiple of 16 inside the 128 elements of its segment, got offset 112}}
  // expected-error@below {{expected frozen parameter 'd' in a segment of its kind, got group decayed}}
  accel.parameter @d : tensor<20xf32> {segment = @m.decayed.master, offset = 112 : i64}
  // expected-error@below {{expected 'segment' (a master slot) and 'offset' of parameter 'e', got none}}
  // expected-error@below {{expected parameter 'e' in exactly one segment of a bucket, got 0}}
  accel.parameter @e : tensor<20xf32> trainable
}

// -----

// Buckets, slots and parameters contradict each other.
module {
  // expected-error@below {{expected state 'm.decayed.master' with 256 elements, got another size}}
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 256 elements>]}
  accel.state @m.decayed.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  // expected-error@below {{expected slot 'm.decayed.gradient' of type 'tensor<128xf32>', as its master is 'tensor<128xf32>', got 'tensor<100xf32>'}}
  accel.state @m.decayed.gradient slot : tensor<100xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
  // expected-error@below {{expected a gradient slot of segment 'frozen' exactly if it is trained, got one}}
  // expected-error@below {{expected slot 'm.frozen.master' in a segment that its bucket lists, got #accel.segment_ref<@m "frozen">}}
  accel.state @m.frozen.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}
  // expected-error@below {{expected slot 'm.frozen.gradient' in a segment that its bucket lists, got #accel.segment_ref<@m "frozen">}}
  accel.state @m.frozen.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "frozen">, slot = #accel.slot<gradient>, group = #accel.group<frozen>}
  // expected-error@below {{expected slot 'm.lost.momentum' and its master, got 'm.lost.momentum'}}
  // expected-error@below {{expected slot 'm.lost.momentum' in a segment that its bucket lists, got #accel.segment_ref<@m "lost">}}
  accel.state @m.lost.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "lost">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
  func.func @step(%s: tensor<f64>) {
    // expected-error@below {{expected accel.update to be expanded, got it still there}}
    accel.update %s kind "sgd" : tensor<f64>
    return
  }
}

// -----

// A slot says the group that its segment has.
module {
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 256 elements>]}
  // expected-error@below {{expected slot 'm.decayed.master' of group decayed, which its segment has, got undecayed}}
  accel.state @m.decayed.master slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
  accel.state @m.decayed.gradient slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
}

// -----

// Slots are what the module's optimizer keeps, of its types, in buckets of whole blocks.
module attributes {accel.optimizer = "adamw8"} {
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 256 elements>]}
  // expected-error@below {{expected bucket 'm' with a granule of a multiple of 256, got 128}}
  accel.state @m.decayed.master slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  // expected-error@below {{expected bucket 'm' with a granule of a multiple of 256, got 128}}
  accel.state @m.decayed.gradient slot : tensor<256xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
}

// -----

module attributes {accel.optimizer = "adamw8"} {
  accel.bucket @m {granule = 256 : i64, segments = [#accel.segment<"decayed" group decayed, 512 elements>]}
  accel.state @m.decayed.master slot : tensor<512xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  accel.state @m.decayed.gradient slot : tensor<512xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
  // expected-error@below {{expected slot 'm.decayed.first_moment' of type 'tensor<512xui8>', as its master is 'tensor<512xf32>', got 'tensor<512xf32>'}}
  accel.state @m.decayed.first_moment slot : tensor<512xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>}
  // expected-error@below {{expected slot 'm.decayed.first_scale' of type 'tensor<2xf32>', as its master is 'tensor<512xf32>', got 'tensor<4xf32>'}}
  accel.state @m.decayed.first_scale slot : tensor<4xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<optimizer : "first_scale">, group = #accel.group<decayed>}
  // expected-error@below {{expected a slot that optimizer adamw8 keeps, got 'momentum'}}
  accel.state @m.decayed.momentum slot : tensor<512xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
}
