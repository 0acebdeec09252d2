// RUN: accel-opt %s --split-input-file --verify-diagnostics

// Held is one of two words.
// expected-error@below {{'accel.state' op expected dist.held to be "whole" or "part", got "half"}}
accel.state @"b.s.master" : tensor<256xf32> {kind = "slot", bucket = "b", segment = "s", slot = "master", group = "decayed", dist.held = "half"}

// -----

// expected-error@below {{'accel.state' op expected dist.held to be "whole" or "part", got 1 : i64}}
accel.state @"b.s.master" : tensor<256xf32> {kind = "slot", bucket = "b", segment = "s", slot = "master", group = "decayed", dist.held = 1 : i64}

// -----

// Only slots are held in parts.
// expected-error@below {{'accel.state' op expected dist.held on the slot of a segment, got it here}}
accel.state @loss_sum : tensor<f64> {kind = "accumulator", dist.held = "part"}

// -----

// expected-error@below {{'func.func' op expected dist.held on the slot of a segment, got it here}}
func.func @step() attributes {accel.role = #accel.role<step>, dist.held = "part"} {
  return
}

// -----

// No other attribute is dist's.
// expected-error@below {{'accel.state' op has an attribute that dialect dist does not know: "dist.hold"}}
accel.state @"b.s.master" : tensor<256xf32> {kind = "slot", bucket = "b", segment = "s", slot = "master", group = "decayed", dist.hold = "part"}
