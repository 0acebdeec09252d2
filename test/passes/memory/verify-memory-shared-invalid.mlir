// RUN: accel-opt %s --accel-verify-memory --split-input-file --verify-diagnostics

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
func.func @overlap() {
  // expected-note@below {{the other, at bytes [0, 128): %0 = plan.buffer transient gathered in shared {offset = 0 : i64} : memref<32xf32>}}
  %0 = plan.buffer transient gathered in shared {offset = 0 : i64} : memref<32xf32>
  // expected-error@below {{'plan.buffer' op at bytes [64, 192) shares bytes with another that the same instruction uses}}
  %1 = plan.buffer transient gathered in shared {offset = 64 : i64} : memref<32xf32>
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
  // expected-error@below {{'plan.buffer' op has no offset in the arena}}
  %0 = plan.buffer transient gathered in shared : memref<32xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// The shared buffers do not fit into the shared arena, whatever the rank's own one holds.
// expected-error@below {{'func.func' op expected its buffers within 64 bytes, got buffers up to 128}}
func.func @beyond_arena() attributes {plan.arena_bytes = 1024 : i64, plan.shared_arena_bytes = 64 : i64} {
  %0 = plan.buffer transient gathered in shared {offset = 0 : i64} : memref<32xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// Equal offsets in two arenas are no overlap: nothing is wrong here.
func.func @apart() attributes {plan.arena_bytes = 128 : i64, plan.shared_arena_bytes = 128 : i64} {
  %0 = plan.buffer transient gathered in shared {offset = 0 : i64} : memref<32xf32>
  %1 = plan.buffer transient activations {offset = 0 : i64} : memref<32xf32>
  plan.launch @b(%0, %1) [write, write] {stream = @compute} : memref<32xf32>, memref<32xf32>
  return
}
