// RUN: accel-opt %s --accel-verify-shard --split-input-file --verify-diagnostics

// A segment is updated in one way; what has a decay of its own decays.
module {
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"d" group decayed, 128 elements of @a, @b, @c>, #accel.segment<"u" group undecayed, 128 elements of @e>]}
  accel.state @m.d.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  accel.state @m.d.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
  accel.state @m.d.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
  accel.state @m.u.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "u">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
  accel.state @m.u.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "u">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>}
  accel.state @m.u.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "u">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<undecayed>}
  accel.parameter @a : tensor<4xf32> trainable {segment = @m.d.master, offset = 0 : i64, lr_factor = 0.5 : f64}
  // expected-error@below {{expected all parameters of segment 'm.d.master' to be updated at one rate and decay, got 'a' and 'b'}}
  accel.parameter @b : tensor<4xf32> trainable {segment = @m.d.master, offset = 16 : i64}
  // expected-error@below {{expected all parameters of segment 'm.d.master' to be updated at one rate and decay, got 'a' and 'c'}}
  accel.parameter @c : tensor<4xf32> trainable {segment = @m.d.master, offset = 32 : i64, lr_factor = 0.5 : f64, weight_decay = 0.5 : f64}
  // expected-error@below {{expected parameter 'e', which has a weight decay, in a decayed segment, got group undecayed}}
  accel.parameter @e : tensor<4xf32> trainable {segment = @m.u.master, offset = 0 : i64, weight_decay = 0.5 : f64}
}

// -----

// Without @ema nothing is averaged; with it everything that trains, and nothing else.
module {
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"d" group decayed, 128 elements>]}
  // expected-error@below {{expected slot 'm.d.average' exactly if the segment is trained and averaged, got one}}
  accel.state @m.d.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  accel.state @m.d.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
  accel.state @m.d.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
  accel.state @m.d.average slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<optimizer : "average">, group = #accel.group<decayed>}
}

// -----

module {
  accel.state @ema hyperparameter : tensor<f64>
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"d" group decayed, 128 elements>, #accel.segment<"f" group frozen, 128 elements>]}
  // expected-error@below {{expected slot 'm.d.average' exactly if the segment is trained and averaged, got none}}
  accel.state @m.d.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  accel.state @m.d.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
  accel.state @m.d.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
  // expected-error@below {{expected slot 'm.f.average' exactly if the segment is trained and averaged, got one}}
accel.state @m.f.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "f">, slot = #accel.slot<master>, group = #accel.group<frozen>}
  accel.state @m.f.average slot : tensor<128xf32> {segment = #accel.segment_ref<@m "f">, slot = #accel.slot<optimizer : "average">, group = #accel.group<frozen>}
}

// -----

// An average begins as what its parameters begin as.
module {
  accel.state @ema hyperparameter : tensor<f64>
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"d" group decayed, 128 elements of @a>]}
  accel.parameter @a : tensor<4xf32> trainable {segment = @m.d.master, offset = 0 : i64}
  // expected-error@below {{expected 'm.d.average' to be initialized once, to a copy of its master behind what is written to that, got 0 such writes}}
  accel.state @m.d.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  accel.state @m.d.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
  accel.state @m.d.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
  accel.state @m.d.average slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<optimizer : "average">, group = #accel.group<decayed>}
  func.func @init(%a: tensor<4xf32>) attributes {accel.role = #accel.role<initialize>} {
    %early = accel.read @m.d.master : tensor<128xf32>
    accel.write @m.d.average, %early : tensor<128xf32>
    accel.write @a, %a : tensor<4xf32>
    return
  }
}
