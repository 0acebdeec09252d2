// RUN: accel-opt %s --accel-assign-offsets --accel-verify-memory | FileCheck %s

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// The first buffer is gone when the third is needed: they share bytes.
// CHECK-LABEL: func.func @reuse
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @reuse() {
  // CHECK: {offset = 0 : i64} : memref<32xf32>
  %0 = plan.buffer transient activations : memref<32xf32>
  // CHECK: {offset = 128 : i64} : memref<32xf32>
  %1 = plan.buffer transient activations : memref<32xf32>
  // CHECK: {offset = 0 : i64} : memref<32xf32>
  %2 = plan.buffer transient activations : memref<32xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
  plan.launch @b(%0, %1) [read, write] {stream = @compute} : memref<32xf32>, memref<32xf32>
  plan.launch @b(%1, %2) [read, write] {stream = @compute} : memref<32xf32>, memref<32xf32>
  return
}

// What another stream reads is in use as long as no event says that it is done.
// CHECK-LABEL: func.func @other_stream
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @other_stream() {
  %0 = plan.buffer transient activations : memref<f64>
  %1 = plan.buffer transient activations : memref<32xf32>
  %2 = plan.buffer transient activations : memref<f64>
  plan.launch @a(%0) [write] {stream = @compute} : memref<f64>
  plan.metric "loss", %0 {stream = @communication} : memref<f64>
  plan.launch @a(%1) [write] {stream = @compute} : memref<32xf32>
  plan.launch @b(%1, %2) [read, write] {stream = @compute} : memref<32xf32>, memref<f64>
  return
}

// A buffer written before the loop and read in it keeps its bytes until the loop ends.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: plan.arena_bytes = 128 : i64
func.func @loop() {
  %0 = plan.buffer transient activations : memref<16xf32>
  %1 = plan.buffer transient activations : memref<16xf32>
  plan.launch @a(%0) [write] {stream = @compute} : memref<16xf32>
  plan.repeat {
    plan.launch @b(%0) [read] {stream = @compute} : memref<16xf32>
    plan.launch @a(%1) [write] {stream = @compute} : memref<16xf32>
  }
  return
}

// With an event it is: the bytes of the sum are the last buffer's, as soon as that one's writer has waited.
// CHECK-LABEL: func.func @other_stream_done
// CHECK-SAME: plan.arena_bytes = 192 : i64
func.func @other_stream_done() {
  // CHECK: {offset = 0 : i64} : memref<32xf32>
  %0 = plan.buffer transient gradients : memref<32xf32>
  // CHECK: {offset = 128 : i64} : memref<f64>
  %1 = plan.buffer transient activations : memref<f64>
  // CHECK: {offset = 0 : i64} : memref<32xf32>
  %2 = plan.buffer transient activations : memref<32xf32>
  plan.launch @a(%0) [write] {signals = [#plan.event<0>], stream = @compute} : memref<32xf32>
  plan.all_reduce %0 over ["replica"] {stream = @communication, waits = [#plan.wait<0>], signals = [#plan.event<1>]} : memref<32xf32>
  plan.launch @a(%1) [write] {stream = @compute} : memref<f64>
  plan.launch @b(%1, %2) [read, write] {stream = @compute, waits = [#plan.wait<1>]} : memref<f64>, memref<32xf32>
  return
}

// In a loop the next iteration must wait, too. Here it does.
// CHECK-LABEL: func.func @next_iteration
// CHECK-SAME: plan.arena_bytes = 128 : i64
func.func @next_iteration() {
  %0 = plan.buffer transient activations : memref<32xf32>
  %1 = plan.buffer transient gradients : memref<32xf32>
  plan.repeat {
    plan.launch @a(%0) [write] {stream = @compute, waits = [#plan.wait<1, 1 ago>]} : memref<32xf32>
    plan.launch @a(%1) [write] {signals = [#plan.event<0>], stream = @compute} : memref<32xf32>
    plan.all_reduce %1 over ["replica"] {stream = @communication, waits = [#plan.wait<0>], signals = [#plan.event<1>]} : memref<32xf32>
  }
  return
}

// Here it does not.
// CHECK-LABEL: func.func @next_iteration_unordered
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @next_iteration_unordered() {
  %0 = plan.buffer transient activations : memref<32xf32>
  %1 = plan.buffer transient gradients : memref<32xf32>
  plan.repeat {
    plan.launch @a(%0) [write] {stream = @compute} : memref<32xf32>
    plan.launch @a(%1) [write] {signals = [#plan.event<0>], stream = @compute} : memref<32xf32>
    plan.all_reduce %1 over ["replica"] {stream = @communication, waits = [#plan.wait<0>]} : memref<32xf32>
  }
  return
}
