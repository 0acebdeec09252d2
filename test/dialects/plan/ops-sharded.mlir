// RUN: accel-opt %s --verify-roundtrip | FileCheck %s

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
func.func private @k0(%x: tensor<256xf32>) -> tensor<256xf32> attributes {plan.kernel = {columns = 256 : i64, elements = 256 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.neg %x : tensor<256xf32>
  return %y : tensor<256xf32>
}

// What depends on the number of ranks: sizes, parts, how far a kernel runs, and what ranks exchange.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  // CHECK: %[[OWN:.+]] = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // CHECK: %[[WHOLE:.+]] = plan.buffer transient gathered in shared : memref<512xf32>
  %shared = plan.buffer transient gathered in shared : memref<512xf32>
  // CHECK: %[[GRADIENT:.+]] = plan.buffer transient gradients : memref<256xf32>
  %gradient = plan.buffer transient gradients in device : memref<256xf32>
  // CHECK: %[[VIEW:.+]] = plan.view %[[WHOLE]] at 64
  %view = plan.view %shared at 64 : memref<512xf32> to memref<256xf32>
  // CHECK: %[[PART:.+]] = plan.part %[[GRADIENT]] {shard = #plan.shard<256 granule 128 over "replica", "fsdp">} : memref<256xf32>
  %part = plan.part %gradient {shard = #plan.shard<256 granule 128 over "replica", "fsdp">} : memref<256xf32>
  // CHECK: plan.part %[[VIEW]] {shard = #plan.shard<256 granule 64 over "fsdp">} : memref<256xf32>
  %other = plan.part %view {shard = #plan.shard<256 granule 64 over "fsdp">} : memref<256xf32>
  // CHECK: plan.load "w" into %[[OWN]] {elements = 100 : i64, offset = 16 : i64} : memref<256xf32>
  plan.load "w" into %own {offset = 16 : i64, elements = 100 : i64} : memref<256xf32>
  // CHECK: plan.fill %[[GRADIENT]] : memref<256xf32>
  plan.fill %gradient : memref<256xf32>
  // CHECK: plan.fill %[[PART]] {stream = @compute, waits = [#plan.wait<0, 1 ago>]} : memref<256xf32>
  plan.fill %part {stream = @compute, waits = [#plan.wait<0, 1 ago>]} : memref<256xf32>
  // CHECK: plan.copy %{{.*}} to %[[OWN]] : memref<256xf32>, memref<256xf32>
  plan.copy %other to %own : memref<256xf32>, memref<256xf32>
  // CHECK: plan.all_gather "b.s.master" %[[OWN]] into %[[VIEW]] {shard = #plan.shard<256 granule 128 over "fsdp">, signals = [#plan.event<0>], stream = @communication} : memref<256xf32>, memref<256xf32>
  plan.all_gather "b.s.master" %own into %view {shard = #plan.shard<256 granule 128 over "fsdp">, signals = [#plan.event<0>], stream = @communication} : memref<256xf32>, memref<256xf32>
  // CHECK: plan.reduce_scatter "b.s.gradient" %[[GRADIENT]] into %[[PART]] {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<256 granule 128 over "replica", "fsdp">} : memref<256xf32>, memref<256xf32>
  plan.reduce_scatter "b.s.gradient" %gradient into %part {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<256 granule 128 over "replica", "fsdp">} : memref<256xf32>, memref<256xf32>
  // CHECK: plan.launch @k0(%[[PART]], %[[OWN]]) [read, write] {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  plan.launch @k0(%part, %own) [read, write] {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  // CHECK: plan.all_reduce %{{.*}} over ["replica", "fsdp"] : memref<256xf32>
  plan.all_reduce %gradient over ["replica", "fsdp"] : memref<256xf32>
  return
}
