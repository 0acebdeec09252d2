// Where the memory of a program is fullest, and which function gathers into the most shared memory. Kernels and functions without a
// role are no part of the program.
// RUN: accel-opt %s --accel-assign-offsets --accel-verify-memory --split-input-file | FileCheck %s

// The loop counts as an instruction; of functions that are equally full the last one counts, of instructions the first.
// CHECK: module attributes {plan.gathers_most = @evaluate, plan.peak = #plan.peak<@evaluate at 3, 48 bytes>}
module {
  func.func @step() attributes {accel.role = #accel.role<step>} {
    %p = plan.buffer persistent parameters "p" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
    %0 = plan.buffer transient gathered in shared {gathers = [[#plan.size<32 bits of <128 granule 128 over "fsdp">>]]} : memref<128xf32>
    %1 = plan.buffer transient activations : memref<12xf32>
    plan.all_gather "p" %p into %0 {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    plan.fill %1 : memref<12xf32>
    return
  }
  func.func @evaluate() attributes {accel.role = #accel.role<evaluate>} {
    %p = plan.buffer persistent parameters "p" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
    %0 = plan.buffer transient gathered in shared {gathers = [[#plan.size<32 bits of <256 granule 128 over "fsdp">>]]} : memref<256xf32>
    %1 = plan.buffer transient activations : memref<4xf32>
    %2 = plan.buffer transient activations : memref<8xf32>
    plan.all_gather "p" %p into %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
    plan.fill %1 : memref<4xf32>
    plan.repeat {
      plan.fill %2 : memref<8xf32>
    }
    plan.fill %1 : memref<4xf32>
    return
  }
  func.func @other() {
    %0 = plan.buffer transient activations : memref<1024xf32>
    plan.fill %0 : memref<1024xf32>
    return
  }
}

// -----

// Of functions that gather into as much the first one counts.
// CHECK: module attributes {plan.gathers_most = @first, plan.peak = #plan.peak<@second at 0, 0 bytes>}
module {
  func.func @first() attributes {accel.role = #accel.role<step>} {
    %p = plan.buffer persistent parameters "p" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
    %0 = plan.buffer transient gathered in shared {gathers = [[#plan.size<32 bits of <128 granule 128 over "fsdp">>]]} : memref<128xf32>
    plan.all_gather "p" %p into %0 {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    return
  }
  func.func @second() attributes {accel.role = #accel.role<evaluate>} {
    %p = plan.buffer persistent parameters "p" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
    %0 = plan.buffer transient gathered in shared {gathers = [[#plan.size<32 bits of <128 granule 128 over "fsdp">>]]} : memref<128xf32>
    plan.all_gather "p" %p into %0 {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    return
  }
}
