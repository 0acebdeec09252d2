// RUN: accel-opt %s --accel-verify-schedule --split-input-file --verify-diagnostics

func.func @bytes() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{expected a cost of 32 bytes, got 31}}
  plan.fill %0 {cost = #plan.cost<31 bytes>} : memref<8xf32>
  return
}

// -----

func.func @some() {
  %0 = plan.buffer transient activations : memref<8xf32>
  plan.fill %0 {cost = #plan.cost<32 bytes>} : memref<8xf32>
  // expected-error @+1 {{has no cost, and others have}}
  plan.fill %0 : memref<8xf32>
  return
}

// -----

func.func private @k(%x: tensor<8xf32>) -> tensor<8xf32> attributes {
    plan.kernel = {kind = "flat", elements = 8 : i64, rows = 1 : i64, columns = 8 : i64}} {
  %y = accel.add %x, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func @operations() {
  %0 = plan.buffer transient activations : memref<8xf32>
  %1 = plan.buffer transient activations : memref<8xf32>
  plan.fill %0 {cost = #plan.cost<32 bytes>} : memref<8xf32>
  // expected-error @+1 {{says that it computes 1 'f32' operations more than it does}}
  plan.launch @k(%0, %1) [read, write] {cost = #plan.cost<64 bytes, 9 f32>} : memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @sequence() {
  %0 = plan.buffer transient activations : memref<8xf32>
  plan.all_reduce %0 over ["replica"] {bytes_sent = #plan.size<64 bytes>, cost = #plan.cost<64 bytes>, sequence = 0 : i64} : memref<8xf32>
  // expected-error @+1 {{expected to be collective 1 of its function, got 0}}
  plan.all_reduce %0 over ["replica"] {bytes_sent = #plan.size<64 bytes>, cost = #plan.cost<64 bytes>, sequence = 0 : i64} : memref<8xf32>
  return
}

// -----

func.func @bytes_sent() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{expected to send 64 bytes, got 32}}
  plan.all_reduce %0 over ["replica"] {bytes_sent = #plan.size<32 bytes>, cost = #plan.cost<64 bytes>, sequence = 0 : i64} : memref<8xf32>
  return
}

// -----

func.func @nothing_sent() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{expected to send its whole tensor, got nothing}}
  plan.all_reduce %0 over ["replica"] {cost = #plan.cost<64 bytes>, sequence = 0 : i64} : memref<8xf32>
  return
}

// -----

func.func @other_parts() {
  %0 = plan.buffer persistent parameters "p" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %1 = plan.buffer transient gathered in shared : memref<256xf32>
  // expected-error @+1 {{expected to send all parts of its shard, got #plan.size<32 bits of <256 granule 64 over "fsdp">>}}
  plan.all_gather "p" %0 into %1 {bytes_sent = #plan.size<32 bits of <256 granule 64 over "fsdp">>, cost = #plan.cost<2048 bytes>, sequence = 0 : i64, shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @other_bits() {
  %0 = plan.buffer persistent parameters "p" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %1 = plan.buffer transient gathered in shared : memref<256xf32>
  // expected-error @+1 {{expected to send 32 bits of each element, got 16}}
  plan.all_gather "p" %0 into %1 {bytes_sent = #plan.size<16 bits of <256 granule 128 over "fsdp">>, cost = #plan.cost<2048 bytes>, sequence = 0 : i64, shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}
