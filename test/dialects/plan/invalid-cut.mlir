// Copies overlap nothing; what is cut has elements, a granule and axes.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @copy_c1_type() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  %1 = plan.buffer transient gradients : memref<512xf32>
  // expected-error@below {{'plan.copy' op expected two buffers of one type, got 'memref<256xf32>' and 'memref<512xf32>'}}
  plan.copy %0 to %1 : memref<256xf32>, memref<512xf32>
  return
}

// -----

func.func @copy_c1_overlap() {
  %0 = plan.buffer transient gradients : memref<512xf32>
  %1 = plan.view %0 at 0 : memref<512xf32> to memref<256xf32>
  %2 = plan.view %0 at 255 : memref<512xf32> to memref<256xf32>
  // expected-error@below {{'plan.copy' op expected two buffers that do not overlap, got bytes [0, 1024) and [1020, 2044) of one}}
  plan.copy %1 to %2 : memref<256xf32>, memref<256xf32>
  return
}

// -----

func.func @shard_elements() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  // expected-error@below {{expected positive numbers of elements and of a granule, got 0 and 128}}
  %1 = plan.part %0 {shard = #plan.shard<0 granule 128 over "fsdp">} : memref<256xf32>
  return
}

// -----

func.func @shard_granule() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  // expected-error@below {{expected positive numbers of elements and of a granule, got 256 and -128}}
  %1 = plan.part %0 {shard = #plan.shard<256 granule -128 over "fsdp">} : memref<256xf32>
  return
}

// -----

func.func @shard_axis_twice() {
  %0 = plan.buffer transient gradients : memref<256xf32>
  // expected-error@below {{expected at least one axis, each once, got 2 of which 1 differ}}
  %1 = plan.part %0 {shard = #plan.shard<256 granule 128 over "fsdp", "fsdp">} : memref<256xf32>
  return
}
