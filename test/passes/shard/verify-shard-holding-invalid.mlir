// What ranks hold of slots is what one of the modes plain, zero1, zero2 and fsdp says, for all of them.
// RUN: accel-opt %s --accel-verify-shard --split-input-file --verify-diagnostics

// What the optimizer keeps is never held whole: all ranks would hold what one of them updates.
accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
// expected-error@below {{expected slot 'b.decayed.momentum' to be held as mode zero1 holds it, got whole}}
accel.state @"b.decayed.momentum" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>, dist.held = #dist.held<whole>}

// -----

// A rank that holds its part of a master holds its part of the gradient, too.
accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
// expected-error@below {{expected slot 'b.decayed.gradient' to be held as mode fsdp holds it, got whole}}
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}

// -----

// Gradients that are summed to each rank its part need masters that are gathered.
accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
// expected-error@below {{expected slot 'b.decayed.gradient' to be held as mode plain holds it, got part}}
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}

// -----

// Moments in parts update a part of the master: it must be exchanged.
accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
// expected-error@below {{expected slot 'b.decayed.momentum' to be held as mode plain holds it, got part}}
accel.state @"b.decayed.momentum" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>, dist.held = #dist.held<part>}

// -----

// Nobody updates frozen parameters, so no exchange completes them.
accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
// expected-error@below {{expected slot 'b.frozen.master' to be held as mode zero1 holds it, got whole}}
accel.state @"b.frozen.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>, dist.held = #dist.held<whole>}

// -----

// All segments are held in one mode.
accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.undecayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "undecayed">, slot = #accel.slot<master>, group = #accel.group<undecayed>, dist.held = #dist.held<whole>}
// expected-error@below {{expected slot 'b.undecayed.gradient' to be held as mode zero2 holds it, got whole}}
accel.state @"b.undecayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "undecayed">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>, dist.held = #dist.held<whole>}

// -----

accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
// expected-error@below {{expected slot 'b.undecayed.master' to be held as mode zero1 or zero2 holds it, got it not cut}}
accel.state @"b.undecayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "undecayed">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @"b.undecayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "undecayed">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>, dist.held = #dist.held<whole>}

// -----

accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
// expected-error@below {{expected slot 'b.frozen.master' to be held as mode fsdp holds it, got it not cut}}
accel.state @"b.frozen.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}

// -----

// A mode of which every slot is held as it should be is accepted: what remains is said of other things.
accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.decayed.momentum" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>, dist.held = #dist.held<part>}
// expected-error@below {{expected a gradient slot of segment 'frozen' exactly if it is trained, got one}}
accel.state @"b.frozen.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}
accel.state @"b.frozen.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "frozen">, slot = #accel.slot<gradient>, group = #accel.group<frozen>, dist.held = #dist.held<part>}

// -----

// What is cut over ranks is cut along the axis that a run's ranks lie along.
// expected-error@below {{expected a mesh whose one axis of no fixed degree is 'fsdp', as states are cut over ranks, got replica}}
module attributes {dist.mesh = {replica = 0 : i64, fsdp = 1 : i64, tensor = 1 : i64, pipeline = 1 : i64, context = 1 : i64, expert = 1 : i64}} {
  accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"frozen" group frozen, 128 elements>]}
  accel.state @"b.frozen.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>, dist.held = #dist.held<part>}
}
