// RUN: accel-opt %s --accel-verify-schedule --split-input-file --verify-diagnostics

// Without the event of the fetch nothing says that the kernel reads after the input has arrived.
func.func @missing_event() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  %1 = plan.buffer transient activations : memref<8xf32>
  // expected-note@below {{the other instruction}}
  plan.fetch ["x"] into %0 ahead 0 {lane = "communication"} : memref<8xf32>
  // expected-error@below {{on the compute lane is not ordered after an instruction on the communication lane that touches the same bytes (iterations 0 and 0)}}
  plan.launch @k(%0, %1) [read, write] units 1 {lane = "compute"} : memref<8xf32>, memref<8xf32>
  return
}

// -----

// The next microbatch must not overwrite the copy that the previous one is still read from.
func.func @missing_release() {
  %0 = plan.buffer io io "x" {copies = 2 : i64} : memref<8xf32>
  %1 = plan.buffer transient activations : memref<8xf32>
  plan.fetch ["x"] into %0 ahead 0 {lane = "communication", signals = array<i64: 0>} : memref<8xf32>
  plan.repeat {
    // expected-error@below {{on the communication lane is not ordered after an instruction on the compute lane that touches the same bytes}}
    plan.fetch ["x"] into %0 ahead 1 {lane = "communication", signals = array<i64: 1>} : memref<8xf32>
    // expected-note@below {{the other instruction}}
    plan.launch @k(%0, %1) [read, write] units 1 {lane = "compute", waits = array<i64: 0, 0, 1, 1>} : memref<8xf32>, memref<8xf32>
  }
  return
}

// -----

func.func @unsignalled() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  // expected-error@below {{waits for an event that nothing before it signals, or signals one that another instruction signals, too}}
  plan.fetch ["x"] into %0 ahead 0 {lane = "communication", waits = array<i64: 3, 0>} : memref<8xf32>
  return
}

// -----

func.func @signalled_twice() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  %1 = plan.buffer io io "y" : memref<8xf32>
  plan.fetch ["x"] into %0 ahead 0 {lane = "communication", signals = array<i64: 0>} : memref<8xf32>
  // expected-error@below {{waits for an event that nothing before it signals, or signals one that another instruction signals, too}}
  plan.fetch ["y"] into %1 ahead 0 {lane = "communication", signals = array<i64: 0>} : memref<8xf32>
  return
}

// -----

// In a single microbatch nothing else makes the end wait for the kernel on the other stream: with two, the second one's fetch
// would.
func.func @single_iteration() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  %1 = plan.buffer transient activations : memref<f64>
  %2 = plan.buffer transient activations : memref<8xf32>
  // expected-note@below {{the other instruction}}
  plan.launch @a(%1) [write] units 1 {lane = "compute", signals = array<i64: 1>} : memref<f64>
  plan.repeat {
    plan.fetch ["x"] into %0 ahead 0 {lane = "communication", waits = array<i64: 0, 1>} : memref<8xf32>
    plan.launch @b(%2) [write] units 1 {lane = "compute", signals = array<i64: 0>} : memref<8xf32>
  }
  // expected-error@below {{is not ordered after an instruction on the compute lane that touches the same bytes}}
  plan.metric "loss", %1 {lane = "communication"} : memref<f64>
  return
}

// -----

func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  plan.fill %g {lane = "compute", phase = #plan.phase<load>} : memref<4xf32>
  // expected-error@below {{'plan.fill' op has no phase, and others have}}
  plan.fill %g {lane = "compute"} : memref<4xf32>
  return
}

// -----

func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  plan.fill %g {gradients_complete, lane = "compute", phase = #plan.phase<load>} : memref<4xf32>
  // expected-error@below {{'plan.fill' op changes a gradient behind the place where all are complete}}
  plan.fill %g {lane = "compute", phase = #plan.phase<update>} : memref<4xf32>
  plan.fill %m {lane = "compute", phase = #plan.phase<update>} : memref<4xf32>
  plan.fill %g {lane = "compute", phase = #plan.phase<update>} : memref<4xf32>
  return
}

// -----

// expected-error@below {{'func.func' op has no instruction in front of which gradients are complete}}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  plan.fill %g {lane = "compute", phase = #plan.phase<load>} : memref<4xf32>
  return
}
