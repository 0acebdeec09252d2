// RUN: accel-opt %s --accel-verify-memory --split-input-file --verify-diagnostics

func.func @overlap() {
  // expected-note@below {{the other, at bytes [0, 128), used by instructions 0 to 1}}
  %0 = plan.buffer transient "activations" {offset = 0 : i64} : memref<32xf32>
  // expected-error@below {{at bytes [64, 192), used by instructions 1 to 1, overlaps another that lives then}}
  %1 = plan.buffer transient "activations" {offset = 64 : i64} : memref<32xf32>
  plan.launch @a(%0) [write] units 1 {lane = "compute"} : memref<32xf32>
  plan.launch @b(%0, %1) [read, write] units 1 {lane = "compute"} : memref<32xf32>, memref<32xf32>
  return
}

// -----

func.func @unplaced() {
  // expected-error@below {{has no offset in the arena}}
  %0 = plan.buffer transient "activations" : memref<32xf32>
  plan.launch @a(%0) [write] units 1 {lane = "compute"} : memref<32xf32>
  return
}

// -----

// expected-error@below {{expected its buffers within 64 bytes, got buffers up to 128}}
func.func @beyond_arena() attributes {plan.arena_bytes = 64 : i64} {
  %0 = plan.buffer transient "activations" {offset = 0 : i64} : memref<32xf32>
  plan.launch @a(%0) [write] units 1 {lane = "compute"} : memref<32xf32>
  return
}
