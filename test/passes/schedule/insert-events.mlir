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

// A gather waits for who reads the bucket before it in the same memory, also where other bytes are read, and whose memory it is does not
// matter: no more than two buckets are there.
// CHECK-LABEL: func.func @turns
// CHECK: plan.launch @k{{.*}} {signals = {{\[}}#plan.event<[[READ:[0-9]]]>]
// CHECK: plan.all_gather "b.s.master" {{.*}}waits = {{\[}}#plan.wait<[[READ]]>]
func.func @turns() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %whole = plan.buffer transient gathered : memref<256xf32>
  %first = plan.view %whole at 0 : memref<256xf32> to memref<128xf32>
  %second = plan.view %whole at 128 : memref<256xf32> to memref<128xf32>
  plan.all_gather "a.s.master" %a into %first {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @communication} : memref<128xf32>, memref<128xf32>
  plan.launch @k(%first) [read] {stream = @compute} : memref<128xf32>
  plan.all_gather "b.s.master" %b into %second {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @communication} : memref<128xf32>, memref<128xf32>
  return
}
