// What a rank holds of a slot, and the exchange of states that are cut.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

// reduce_scatter_c1
func.func @no_state() {
  // expected-error@below {{'dist.reduce_scatter' op expected the name of a state of floats, got @b.s.gradient}}
  dist.reduce_scatter [@"b.s.gradient"] over ["fsdp"]
  return
}

// -----

// reduce_scatter_c1
accel.state @"b.s.gradient" slot : tensor<256xi64> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @no_floats() {
  // expected-error@below {{'dist.reduce_scatter' op expected the name of a state of floats, got @b.s.gradient}}
  dist.reduce_scatter [@"b.s.gradient"] over ["fsdp"]
  return
}

// -----

// reduce_scatter_c1
accel.state @"b.s.gradient" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
func.func @not_cut() {
  // expected-error@below {{'dist.reduce_scatter' op expected a state that is cut over ranks (dist.held), got @b.s.gradient}}
  dist.reduce_scatter [@"b.s.gradient"] over ["fsdp"]
  return
}

// -----

// reduce_scatter_c1
accel.state @"b.s.gradient" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @twice() {
  // expected-error@below {{'dist.reduce_scatter' op expected each state once, got @b.s.gradient twice}}
  dist.reduce_scatter [@"b.s.gradient", @"b.s.gradient"] over ["fsdp"]
  return
}

// -----

// reduce_scatter_c2
accel.state @"b.s.gradient" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @no_axis() {
  // expected-error@below {{'dist.reduce_scatter' op expected at least one axis of the mesh, got none}}
  dist.reduce_scatter [@"b.s.gradient"] over []
  return
}

// -----

// reduce_scatter_c2
accel.state @"b.s.gradient" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @unknown_axis() {
  // expected-error@below {{'dist.reduce_scatter' op expected an axis of the mesh (replica, fsdp, tensor, pipeline, context, expert), got 'data'}}
  dist.reduce_scatter [@"b.s.gradient"] over ["data"]
  return
}

// -----

// reduce_scatter_c2
accel.state @"b.s.gradient" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @axis_twice() {
  // expected-error@below {{'dist.reduce_scatter' op expected each axis once, got 'fsdp' twice}}
  dist.reduce_scatter [@"b.s.gradient"] over ["fsdp", "fsdp"]
  return
}

// -----

// all_gather_c1
func.func @no_state() {
  // expected-error@below {{'dist.all_gather' op expected the name of a state of floats, got @b.s.master}}
  dist.all_gather [@"b.s.master"] over ["fsdp"]
  return
}

// -----

// all_gather_c1
accel.state @"b.s.master" slot : tensor<256xi64> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @no_floats() {
  // expected-error@below {{'dist.all_gather' op expected the name of a state of floats, got @b.s.master}}
  dist.all_gather [@"b.s.master"] over ["fsdp"]
  return
}

// -----

// all_gather_c1
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
func.func @not_cut() {
  // expected-error@below {{'dist.all_gather' op expected a state that is cut over ranks (dist.held), got @b.s.master}}
  dist.all_gather [@"b.s.master"] over ["fsdp"]
  return
}

// -----

// all_gather_c1
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @twice() {
  // expected-error@below {{'dist.all_gather' op expected each state once, got @b.s.master twice}}
  dist.all_gather [@"b.s.master", @"b.s.master"] over ["fsdp"]
  return
}

// -----

// all_gather_c2
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @no_axis() {
  // expected-error@below {{'dist.all_gather' op expected at least one axis of the mesh, got none}}
  dist.all_gather [@"b.s.master"] over []
  return
}

// -----

// all_gather_c2
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @unknown_axis() {
  // expected-error@below {{'dist.all_gather' op expected an axis of the mesh (replica, fsdp, tensor, pipeline, context, expert), got 'data'}}
  dist.all_gather [@"b.s.master"] over ["data"]
  return
}

// -----

// all_gather_c2
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @axis_twice() {
  // expected-error@below {{'dist.all_gather' op expected each axis once, got 'fsdp' twice}}
  dist.all_gather [@"b.s.master"] over ["fsdp", "fsdp"]
  return
}
