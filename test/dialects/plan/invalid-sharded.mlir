// Buffers, parts, kernels and loads that depend on the number of ranks.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @buffer_c2_space() {
  // expected-error@below {{expected string or keyword containing one of the following enum values for attribute 'space' [device, shared]}}
  %0 = plan.buffer transient activations in host : memref<256xf32>
  return
}

// -----

func.func @buffer_c2_shared() {
  // expected-error@below {{'plan.buffer' op expected a transient buffer in the shared space, got persistent}}
  %0 = plan.buffer persistent parameters in shared "b.s.master" : memref<256xf32>
  return
}

// -----

func.func @buffer_c2_sharded() {
  // expected-error@below {{'plan.buffer' op expected a persistent buffer to be sharded, got transient}}
  %0 = plan.buffer transient activations {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  return
}

// -----

func.func @buffer_c2_elements() {
  // expected-error@below {{'plan.buffer' op expected a shard of the buffer's 512 elements, got 256}}
  %0 = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<512xf32>
  return
}

// -----

func.func @view_c1_part() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.part %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.view' op expected a view of a buffer or of a view, got one of a part: take the part of the view}}
  %2 = plan.view %1 at 0 : memref<256xf32> to memref<16xf32>
  return
}

// -----

func.func @part_c1_elements() {
  %0 = plan.buffer transient gradients : memref<512xf32>
  // expected-error@below {{'plan.part' op expected a shard of the source's 512 elements, got 256}}
  %1 = plan.part %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<512xf32>
  return
}

// -----

func.func @part_c1_part() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.part %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.part' op expected a buffer or a view, got a part of one}}
  %2 = plan.part %1 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  return
}

// -----

func.func @load_c1_sharded() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.load' op expected offset and elements of what is loaded into a sharded buffer, got none}}
  plan.load "w" into %own : memref<256xf32>
  return
}

// -----

func.func @load_c1_outside() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.load' op expected elements inside the buffer's 256, got 100 from 200 on}}
  plan.load "w" into %own {offset = 200 : i64, elements = 100 : i64} : memref<256xf32>
  return
}

// -----

func.func @load_c1_negative() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.load' op expected elements inside the buffer's 256, got 100 from -16 on}}
  plan.load "w" into %own {offset = -16 : i64, elements = 100 : i64} : memref<256xf32>
  return
}

// -----

func.func @load_c1_overflow() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.load' op expected elements inside the buffer's 256, got 9223372036854775807 from 16 on}}
  plan.load "w" into %own {offset = 16 : i64, elements = 9223372036854775807 : i64} : memref<256xf32>
  return
}

// -----

func.func @load_c1_offset_alone() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  // expected-error@below {{'plan.load' op expected both offset and elements or neither, got an offset alone}}
  plan.load "w" into %0 {offset = 16 : i64} : memref<256xf32>
  return
}

// -----

func.func @load_c1_elements_alone() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  // expected-error@below {{'plan.load' op expected both offset and elements or neither, got elements alone}}
  plan.load "w" into %0 {elements = 16 : i64} : memref<256xf32>
  return
}

// -----

func.func @load_argument(%0: memref<256xf32>) {
  // expected-error@below {{'plan.load' op expected memory of a plan.buffer, got other 'memref<256xf32>'}}
  plan.load "w" into %0 : memref<256xf32>
  return
}
