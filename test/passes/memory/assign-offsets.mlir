// RUN: accel-opt %s --accel-assign-offsets --accel-verify-memory | FileCheck %s

// The first buffer is gone when the third is needed: they share bytes.
// CHECK-LABEL: func.func @reuse
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @reuse() {
  // CHECK: {offset = 0 : i64} : memref<32xf32>
  %0 = plan.buffer transient "activations" : memref<32xf32>
  // CHECK: {offset = 128 : i64} : memref<32xf32>
  %1 = plan.buffer transient "activations" : memref<32xf32>
  // CHECK: {offset = 0 : i64} : memref<32xf32>
  %2 = plan.buffer transient "activations" : memref<32xf32>
  plan.launch @a(%0) [write] units 1 {lane = "compute"} : memref<32xf32>
  plan.launch @b(%0, %1) [read, write] units 1 {lane = "compute"} : memref<32xf32>, memref<32xf32>
  plan.launch @b(%1, %2) [read, write] units 1 {lane = "compute"} : memref<32xf32>, memref<32xf32>
  return
}

// What another lane reads lives throughout: the lanes' progress is not known here.
// CHECK-LABEL: func.func @other_lane
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @other_lane() {
  %0 = plan.buffer transient "activations" : memref<f64>
  %1 = plan.buffer transient "activations" : memref<32xf32>
  %2 = plan.buffer transient "activations" : memref<f64>
  plan.launch @a(%0) [write] units 1 {lane = "compute"} : memref<f64>
  plan.metric "loss", %0 {lane = "communication"} : memref<f64>
  plan.launch @a(%1) [write] units 1 {lane = "compute"} : memref<32xf32>
  plan.launch @b(%1, %2) [read, write] units 1 {lane = "compute"} : memref<32xf32>, memref<f64>
  return
}

// A buffer written before the loop and read in it keeps its bytes until the loop ends.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: plan.arena_bytes = 128 : i64
func.func @loop() {
  %0 = plan.buffer transient "activations" : memref<16xf32>
  %1 = plan.buffer transient "activations" : memref<16xf32>
  plan.launch @a(%0) [write] units 1 {lane = "compute"} : memref<16xf32>
  plan.repeat {
    plan.launch @b(%0) [read] units 1 {lane = "compute"} : memref<16xf32>
    plan.launch @a(%1) [write] units 1 {lane = "compute"} : memref<16xf32>
  }
  return
}
