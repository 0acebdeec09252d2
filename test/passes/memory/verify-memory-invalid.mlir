// RUN: accel-opt %s --accel-verify-memory --split-input-file --verify-diagnostics

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
func.func @overlap() {
  // expected-note@below {{the other, at bytes [0, 128)}}
  %0 = plan.buffer transient activations {offset = 0 : i64} : memref<32xf32>
  // expected-error@below {{at bytes [64, 192) shares bytes with another that the same instruction uses}}
  %1 = plan.buffer transient activations {offset = 64 : i64} : memref<32xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
  // expected-note@below {{in iteration 0: plan.launch @b}}
  plan.launch @b(%0, %1) [read, write] {stream = @compute} : memref<32xf32>, memref<32xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
func.func @unplaced() {
  // expected-error@below {{has no offset in the arena}}
  %0 = plan.buffer transient activations : memref<32xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// expected-error@below {{expected its buffers within 64 bytes, got buffers up to 128}}
func.func @beyond_arena() attributes {plan.arena_bytes = 64 : i64} {
  %0 = plan.buffer transient activations {offset = 0 : i64} : memref<32xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// A lifetime that was cut: the second buffer is written where the first is still needed.
func.func @overwritten() {
  // expected-error@below {{at bytes [0, 128) is read after another was written over it}}
  %0 = plan.buffer transient activations {offset = 0 : i64} : memref<32xf32>
  // expected-note@below {{the other, at bytes [64, 192)}}
  %1 = plan.buffer transient activations {offset = 64 : i64} : memref<32xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
  // expected-note@below {{in iteration 0: plan.launch @a}}
  plan.launch @a(%1) [write] {stream = @compute} : memref<32xf32>
  // expected-note@below {{in iteration 0: plan.launch @c}}
  plan.launch @c(%0) [read] {stream = @compute} : memref<32xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// Two instructions that were exchanged: what the first reads the second would have written.
func.func @exchanged() {
  // expected-error@below {{at bytes [0, 128) is read before anything has written it}}
  %0 = plan.buffer transient activations {offset = 0 : i64} : memref<32xf32>
  // expected-note@below {{in iteration 0: plan.launch @c}}
  plan.launch @c(%0) [read] {stream = @compute} : memref<32xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// In program order nothing is lost, but the sum may still read the first buffer when the kernel writes the second.
func.func @unordered() {
  // expected-note@below {{the other, at bytes [0, 128)}}
  %0 = plan.buffer transient gradients {offset = 0 : i64} : memref<32xf32>
  // expected-error@below {{at bytes [0, 128) shares bytes with another, and nothing orders their uses}}
  %1 = plan.buffer transient activations {offset = 0 : i64} : memref<32xf32>
  plan.launch @a(%0) [write] {signals = [#plan.event<0>], stream = @compute} : memref<32xf32>
  // expected-note@below {{in iteration 0: plan.all_reduce}}
  plan.all_reduce %0 over ["replica"] {stream = @communication, waits = [#plan.wait<0>]} : memref<32xf32>
  // expected-note@below {{in iteration 0: plan.launch @a}}
  plan.launch @a(%1) [write] {stream = @compute} : memref<32xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// The same from one iteration of the loop to the next: the event comes before the second buffer, but the next iteration's
// first buffer does not wait.
func.func @next_iteration() {
  // expected-error@below {{at bytes [0, 128) shares bytes with another, and nothing orders their uses}}
  %0 = plan.buffer transient activations {offset = 0 : i64} : memref<32xf32>
  // expected-note@below {{the other, at bytes [0, 128)}}
  %1 = plan.buffer transient gradients {offset = 0 : i64} : memref<32xf32>
  plan.repeat {
    // expected-note@below {{in iteration 1: plan.launch @a}}
    plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
    plan.launch @a(%1) [write] {signals = [#plan.event<0>], stream = @compute} : memref<32xf32>
    // expected-note@below {{in iteration 0: plan.all_reduce}}
    plan.all_reduce %1 over ["replica"] {stream = @communication, waits = [#plan.wait<0>]} : memref<32xf32>
  }
  return
}
