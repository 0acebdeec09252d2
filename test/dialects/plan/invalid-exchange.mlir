// Exchanges are between a whole and a part that is cut in the same way.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @all_gather_c1_elements() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %0 = plan.buffer transient gradients : memref<256xf32>
  // expected-error@below {{'plan.all_gather' op expected two buffers of the shard's 512 elements, got 'memref<256xf32>' and 'memref<256xf32>'}}
  plan.all_gather "b.s.master" %own into %0 {shard = #plan.shard<512 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @all_gather_c1_types() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %0 = plan.buffer transient gradients : memref<256xf64>
  // expected-error@below {{'plan.all_gather' op expected two buffers of the shard's 256 elements, got 'memref<256xf64>' and 'memref<256xf32>'}}
  plan.all_gather "b.s.master" %own into %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf64>
  return
}

// -----

func.func @all_gather_c1_no_part() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.buffer transient gradients : memref<256xf32>
  // expected-error@below {{'plan.all_gather' op expected a whole tensor and a part of one, cut by #plan.shard<256 granule 128 over "fsdp">}}
  plan.all_gather "b.s.master" %1 into %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @all_gather_c1_other_cut() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.buffer transient gradients : memref<256xf32>
  %2 = plan.part %1 {shard = #plan.shard<256 granule 64 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.all_gather' op expected a whole tensor and a part of one, cut by #plan.shard<256 granule 128 over "fsdp">}}
  plan.all_gather "b.s.master" %2 into %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @all_gather_c1_whole_part() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.part %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.all_gather' op expected a whole tensor and a part of one, cut by #plan.shard<256 granule 128 over "fsdp">}}
  plan.all_gather "b.s.master" %own into %1 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @all_gather_c1_whole_sharded() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.part %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.all_gather' op expected a whole tensor and a part of one, cut by #plan.shard<256 granule 128 over "fsdp">}}
  plan.all_gather "b.s.master" %1 into %own {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @reduce_scatter_c1_elements() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %0 = plan.buffer transient gradients : memref<256xf32>
  // expected-error@below {{'plan.reduce_scatter' op expected two buffers of the shard's 512 elements, got 'memref<256xf32>' and 'memref<256xf32>'}}
  plan.reduce_scatter "b.s.gradient" %0 into %own {shard = #plan.shard<512 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @reduce_scatter_c1_types() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %0 = plan.buffer transient gradients : memref<256xf64>
  // expected-error@below {{'plan.reduce_scatter' op expected two buffers of the shard's 256 elements, got 'memref<256xf64>' and 'memref<256xf32>'}}
  plan.reduce_scatter "b.s.gradient" %0 into %own {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf64>, memref<256xf32>
  return
}

// -----

func.func @reduce_scatter_c1_no_part() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.buffer transient gradients : memref<256xf32>
  // expected-error@below {{'plan.reduce_scatter' op expected a whole tensor and a part of one, cut by #plan.shard<256 granule 128 over "fsdp">}}
  plan.reduce_scatter "b.s.gradient" %0 into %1 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @reduce_scatter_c1_other_cut() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.buffer transient gradients : memref<256xf32>
  %2 = plan.part %1 {shard = #plan.shard<256 granule 64 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.reduce_scatter' op expected a whole tensor and a part of one, cut by #plan.shard<256 granule 128 over "fsdp">}}
  plan.reduce_scatter "b.s.gradient" %0 into %2 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @reduce_scatter_c1_whole_part() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.part %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.reduce_scatter' op expected a whole tensor and a part of one, cut by #plan.shard<256 granule 128 over "fsdp">}}
  plan.reduce_scatter "b.s.gradient" %1 into %own {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @reduce_scatter_c1_whole_sharded() {
  %own = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.part %0 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.reduce_scatter' op expected a whole tensor and a part of one, cut by #plan.shard<256 granule 128 over "fsdp">}}
  plan.reduce_scatter "b.s.gradient" %own into %1 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

// all_reduce_c1
func.func @all_reduce_c1_axes() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  // expected-error@below {{'plan.all_reduce' op expected at least one axis, got none}}
  plan.all_reduce %0 over [] : memref<256xf32>
  return
}

// -----

func.func @all_reduce_c1_floats() {
  %0 = plan.buffer transient gradients : memref<256xi64>
  // expected-error@below {{'plan.all_reduce' op expected a buffer of floats, got 'memref<256xi64>'}}
  plan.all_reduce %0 over ["fsdp"] : memref<256xi64>
  return
}
