// RUN: accel-opt %s --accel-verify-schedule --split-input-file --verify-diagnostics

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// Without the event of the fetch nothing says that the kernel reads after the input has arrived.
func.func @missing_event() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  %1 = plan.buffer transient activations : memref<8xf32>
  // expected-note@below {{the other instruction}}
  plan.fetch ["x"] into %0 ahead 0 {stream = @communication} : memref<8xf32>
  // expected-error@below {{on the compute stream is not ordered after an instruction on the communication stream that touches the same bytes (iterations 0 and 0)}}
  plan.launch @k(%0, %1) [read, write] {stream = @compute} : memref<8xf32>, memref<8xf32>
  return
}

func.func private @k(%a0: tensor<8xf32>) -> tensor<8xf32> attributes {plan.kernel = {columns = 8 : i64, elements = 8 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<8xf32>
  return %r0 : tensor<8xf32>
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// The next microbatch must not overwrite the copy that the previous one is still read from.
func.func @missing_release() {
  %0 = plan.buffer io io "x" {copies = 2 : i64} : memref<8xf32>
  %1 = plan.buffer transient activations : memref<8xf32>
  plan.fetch ["x"] into %0 ahead 0 {signals = [#plan.event<0>], stream = @communication} : memref<8xf32>
  plan.repeat {
    // expected-error@below {{on the communication stream is not ordered after an instruction on the compute stream that touches the same bytes}}
    plan.fetch ["x"] into %0 ahead 1 {signals = [#plan.event<1>], stream = @communication} : memref<8xf32>
    // expected-note@below {{the other instruction}}
    plan.launch @k(%0, %1) [read, write] {stream = @compute, waits = [#plan.wait<0>, #plan.wait<1, 1 ago>]} : memref<8xf32>, memref<8xf32>
  }
  return
}

func.func private @k(%a0: tensor<8xf32>) -> tensor<8xf32> attributes {plan.kernel = {columns = 8 : i64, elements = 8 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<8xf32>
  return %r0 : tensor<8xf32>
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
func.func @unsignalled() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  // expected-error@below {{waits for an event that nothing before it signals, or signals one that another instruction signals, too}}
  plan.fetch ["x"] into %0 ahead 0 {stream = @communication, waits = [#plan.wait<3>]} : memref<8xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
func.func @signalled_twice() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  %1 = plan.buffer io io "y" : memref<8xf32>
  plan.fetch ["x"] into %0 ahead 0 {signals = [#plan.event<0>], stream = @communication} : memref<8xf32>
  // expected-error@below {{waits for an event that nothing before it signals, or signals one that another instruction signals, too}}
  plan.fetch ["y"] into %1 ahead 0 {signals = [#plan.event<0>], stream = @communication} : memref<8xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// In a single microbatch nothing else makes the end wait for the kernel on the other stream: with two, the second one's fetch
// would.
func.func @single_iteration() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  %1 = plan.buffer transient activations : memref<f64>
  %2 = plan.buffer transient activations : memref<8xf32>
  // expected-note@below {{the other instruction}}
  plan.launch @a(%1) [write] {signals = [#plan.event<1>], stream = @compute} : memref<f64>
  plan.repeat {
    plan.fetch ["x"] into %0 ahead 0 {stream = @communication, waits = [#plan.wait<0, 1 ago>]} : memref<8xf32>
    plan.launch @b(%2) [write] {signals = [#plan.event<0>], stream = @compute} : memref<8xf32>
  }
  // expected-error@below {{is not ordered after an instruction on the compute stream that touches the same bytes}}
  plan.metric "loss", %1 {stream = @communication} : memref<f64>
  return
}

func.func private @a() -> tensor<f64> attributes {plan.kernel = {columns = 1 : i64, elements = 1 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<f64>
  return %r0 : tensor<f64>
}
func.func private @b() -> tensor<8xf32> attributes {plan.kernel = {columns = 8 : i64, elements = 8 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<8xf32>
  return %r0 : tensor<8xf32>
}

// -----

plan.stream @compute compute
func.func @undeclared() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  // expected-error@below {{'plan.fetch' op runs on stream @host, which the module does not declare}}
  plan.fetch ["x"] into %0 ahead 0 {stream = @host} : memref<8xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// Three streams: the third one waits for the second, and not for the first.
func.func @third() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  %1 = plan.buffer transient activations : memref<f64>
  // expected-note@below {{the other instruction}}
  plan.launch @k(%0) [read] {stream = @compute} : memref<8xf32>
  plan.all_reduce %1 over ["fsdp"] {signals = [#plan.event<0>], stream = @communication} : memref<f64>
  // expected-error@below {{'plan.fetch' op on the host stream is not ordered after an instruction on the compute stream that touches the same bytes (iterations 0 and 0)}}
  plan.fetch ["x"] into %0 ahead 0 {stream = @host, waits = [#plan.wait<0>]} : memref<8xf32>
  return
}

func.func private @k(%a0: tensor<8xf32>) attributes {plan.kernel = {columns = 8 : i64, elements = 8 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

// Nobody would execute what no pass has placed.
accel.state @"a.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  plan.repeat {
    // expected-error@below {{'dist.all_gather' op is not placed: expected instructions of the plan that do it}}
    dist.all_gather [@"a.s.master"] over ["fsdp"]
  }
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// It would run on the first stream, where nothing has been ordered for it.
func.func @unnamed() {
  %0 = plan.buffer transient activations : memref<8xf32>
  plan.fill %0 {stream = @compute} : memref<8xf32>
  // expected-error@below {{'plan.fill' op names no stream, and others do}}
  plan.fill %0 : memref<8xf32>
  return
}

// -----

// Also where another function's instructions name theirs.
plan.stream @compute compute
func.func @named() {
  %0 = plan.buffer transient activations : memref<8xf32>
  plan.fill %0 {stream = @compute} : memref<8xf32>
  return
}
func.func @unnamed() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error@below {{'plan.fill' op names no stream, and others do}}
  plan.fill %0 : memref<8xf32>
  return
}

// -----

// Schedule orders what launches say that they touch: a store that is called a read is not ordered at all.
func.func private @k(%a0: tensor<8xf32>) -> tensor<8xf32> attributes {plan.kernel = {columns = 8 : i64, elements = 8 : i64, kind = "flat", rows = 1 : i64}} {
  return %a0 : tensor<8xf32>
}
func.func @access() {
  %0 = plan.buffer io io "x" : memref<8xf32>
  %1 = plan.buffer transient activations : memref<8xf32>
  // expected-error@below {{'plan.launch' op expected access write of operand 1, which kernel 'k' stores, got read}}
  plan.launch @k(%0, %1) [read, read] : memref<8xf32>, memref<8xf32>
  return
}

// -----

// A launch that PlaceReductions makes is checked like those of Fuse.
func.func private @add(%x: tensor<128xf32>) -> (tensor<128xf32> {plan.accumulate}) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<128xf32>
}
func.func @cut() {
  %0 = plan.buffer transient activations : memref<128xf32>
  %1 = plan.buffer persistent gradients "g" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  // expected-error@below {{'plan.launch' op expected whole buffers for all tiles, got operand 1 cut by #plan.shard<128 granule 128 over "fsdp">}}
  plan.launch @add(%0, %1) [read, update] : memref<128xf32>, memref<128xf32>
  return
}
