// RUN: accel-opt %s --accel-assign-offsets --accel-verify-memory | FileCheck %s

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// What ranks share lies in an arena of its own, whose offsets begin at zero again; what does not live at the same time shares
// bytes there, too, and never with the rank's own memory.
// CHECK-LABEL: func.func @both
// CHECK-SAME: plan.arena_bytes = 128 : i64, plan.shared_arena_bytes = 256 : i64
func.func @both() {
  // CHECK: plan.buffer transient gathered in shared {offset = 0 : i64} : memref<32xf32>
  %0 = plan.buffer transient gathered in shared : memref<32xf32>
  // CHECK: plan.buffer transient gathered in shared {offset = 128 : i64} : memref<32xf32>
  %1 = plan.buffer transient gathered in shared : memref<32xf32>
  // CHECK: plan.buffer transient gathered in shared {offset = 0 : i64} : memref<32xf32>
  %2 = plan.buffer transient gathered in shared : memref<32xf32>
  // CHECK: plan.buffer transient activations {offset = 0 : i64} : memref<32xf32>
  %3 = plan.buffer transient activations : memref<32xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
  plan.launch @b(%0, %1) [read, write] {stream = @compute} : memref<32xf32>, memref<32xf32>
  plan.launch @b(%1, %2) [read, write] {stream = @compute} : memref<32xf32>, memref<32xf32>
  plan.launch @b(%2, %3) [read, write] {stream = @compute} : memref<32xf32>, memref<32xf32>
  return
}

// A function that shares nothing has no such arena.
// CHECK-LABEL: func.func @none
// CHECK-SAME: attributes {plan.arena_bytes = 128 : i64}
func.func @none() {
  %0 = plan.buffer transient activations : memref<32xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
  return
}

// What is gathered into lives throughout: a rank's events say nothing about where the other ranks are.
// CHECK-LABEL: func.func @gathered
// CHECK-SAME: plan.shared_arena_bytes = 1024 : i64
func.func @gathered() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %0 = plan.buffer transient gathered in shared : memref<128xf32>
  %1 = plan.buffer transient gathered in shared : memref<128xf32>
  plan.all_gather "b.s.master" %own into %0 {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @communication} : memref<128xf32>, memref<128xf32>
  plan.launch @a(%0) [read] {stream = @compute} : memref<128xf32>
  plan.launch @b(%1) [write] {stream = @compute} : memref<128xf32>
  return
}
