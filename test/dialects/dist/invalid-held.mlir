// RUN: accel-opt %s --split-input-file --verify-diagnostics

// Held is one of two words.
// expected-error@below {{'accel.state' op expected dist.held to be #dist.held<whole> or #dist.held<part>, got "half"}}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = "half"}

// -----

// expected-error@below {{'accel.state' op expected dist.held to be #dist.held<whole> or #dist.held<part>, got 1 : i64}}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = 1 : i64}

// -----

// Only slots are held in parts.
// expected-error@below {{'accel.state' op expected dist.held on the slot of a segment, got it here}}
accel.state @loss_sum accumulator : tensor<f64> {dist.held = #dist.held<part>}

// -----

// expected-error@below {{'func.func' op expected dist.held on the slot of a segment, got it here}}
func.func @step() attributes {accel.role = #accel.role<step>, dist.held = #dist.held<part>} {
  return
}

// -----

// No other attribute is dist's.
// expected-error@below {{'accel.state' op has an attribute that dialect dist does not know: "dist.hold"}}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.hold = "part"}
