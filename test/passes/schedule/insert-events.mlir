// RUN: accel-opt %s --accel-insert-events | FileCheck %s

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// A double-buffered input needs three events: the first fetch and those in the loop announce data, the last reader of a
// copy releases it. One event serves all readers that follow on the same stream.
// CHECK-LABEL: func.func @double_buffer
func.func @double_buffer() {
  %0 = plan.buffer io io "x" {copies = 2 : i64} : memref<8xf32>
  %1 = plan.buffer transient activations : memref<8xf32>
  // CHECK: plan.fetch ["x"] into %{{.*}} ahead 0 {signals = {{\[}}#plan.event<[[FIRST:[0-9]]]>], stream = @communication}
  plan.fetch ["x"] into %0 ahead 0 {stream = @communication} : memref<8xf32>
  plan.repeat {
    // CHECK: plan.fetch ["x"] into %{{.*}} ahead 1 {signals = {{\[}}#plan.event<[[NEXT:[0-9]]]>], stream = @communication, waits = {{\[}}#plan.wait<[[FREE:[0-9]]], 1 ago>]}
    plan.fetch ["x"] into %0 ahead 1 {stream = @communication} : memref<8xf32>
    // CHECK: plan.launch @k{{.*}} {stream = @compute, waits = {{\[}}#plan.wait<[[FIRST]]>, #plan.wait<[[NEXT]], 1 ago>]}
    plan.launch @k(%0, %1) [read, write] {stream = @compute} : memref<8xf32>, memref<8xf32>
    // CHECK: plan.launch @k{{.*}} {signals = {{\[}}#plan.event<[[FREE]]>], stream = @compute}
    plan.launch @k(%0, %1) [read, write] {stream = @compute} : memref<8xf32>, memref<8xf32>
  }
  return
}

// Instructions of one stream need no events.
// CHECK-LABEL: func.func @one_stream
// CHECK-NOT: waits
// CHECK: return
func.func @one_stream() {
  %0 = plan.buffer transient activations : memref<8xf32>
  plan.launch @k(%0) [write] {stream = @compute} : memref<8xf32>
  plan.launch @k(%0) [read] {stream = @compute} : memref<8xf32>
  return
}
