// RUN: accel-opt %s --accel-verify-shard --split-input-file --verify-diagnostics

// A statistic lies where statistics lie, and nothing else does.
module {
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"statistic" group statistic, 128 elements of @a>, #accel.segment<"frozen" group frozen, 128 elements of @b>]}
  accel.state @m.statistic.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "statistic">, slot = #accel.slot<master>, group = #accel.group<statistic>}
  accel.state @m.statistic.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "statistic">, slot = #accel.slot<gradient>, group = #accel.group<statistic>}
  accel.state @m.frozen.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}
  // expected-error@below {{expected trainable parameter 'a' in a segment of its kind, got group statistic}}
  accel.parameter @a : tensor<20xf32> trainable {segment = @m.statistic.master, offset = 0 : i64}
  // expected-error@below {{expected statistic parameter 'b' in a segment of its kind, got group frozen}}
  accel.parameter @b : tensor<20xf32> statistic {segment = @m.frozen.master, offset = 0 : i64}
}

// -----

// The optimizer keeps nothing for it, and what is added has its slot.
module {
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"statistic" group statistic, 128 elements of @a>]}
  // expected-error@below {{expected a gradient slot of segment 'statistic' exactly if it is trained, got none}}
  accel.state @m.statistic.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "statistic">, slot = #accel.slot<master>, group = #accel.group<statistic>}
  // expected-error@below {{expected a segment of statistics to have its master and what is added to that alone, got slot 'momentum'}}
  accel.state @m.statistic.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "statistic">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<statistic>}
  accel.parameter @a : tensor<20xf32> statistic {segment = @m.statistic.master, offset = 0 : i64}
}
