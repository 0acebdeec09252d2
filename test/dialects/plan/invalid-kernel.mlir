// What a launch and its kernel say of each other is checked where launches are made.
// RUN: accel-opt %s --accel-verify-fuse --split-input-file --verify-diagnostics

// launch_c2
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer transient activations : memref<4xf32>
  // expected-error@below {{'plan.launch' op expected a kernel named 'k'}}
  plan.launch @k(%0) [write] : memref<4xf32>
  return
}

// -----

plan.variant @v cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
func.func private @k(%x: tensor<256xf32>) -> tensor<256xf32> attributes {
    plan.kernel = {kind = "flat", elements = 256 : i64, rows = 1 : i64, columns = 256 : i64},
    plan.code = {v = #plan.code<3 tiles of 100 elements>}} {
  return %x : tensor<256xf32>
}
func.func @launch_c3_units() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent optimizer "s.m" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.launch' op expected a granule of whole tiles, got 256 elements in 3 tiles and a granule of 128}}
  plan.launch @k(%0, %0) [read, write] {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

// Of two variants one is cut too coarsely.
plan.variant @fine cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
plan.variant @coarse cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
func.func private @k(%x: tensor<256xf32>) -> tensor<256xf32> attributes {
    plan.kernel = {kind = "flat", elements = 256 : i64, rows = 1 : i64, columns = 256 : i64},
    plan.code = {fine = #plan.code<2 tiles of 128 elements>, coarse = #plan.code<1 tiles of 256 elements>}} {
  return %x : tensor<256xf32>
}
func.func @launch_c3_granule() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent optimizer "s.m" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  // expected-error@below {{'plan.launch' op expected a granule of whole tiles, got 256 elements in 1 tiles and a granule of 128}}
  plan.launch @k(%0, %0) [read, write] {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}

// -----

plan.variant @v cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
// expected-error@below {{expected `plan.code` to say how code for 'v' is cut, or which library it calls, got <<NULL ATTRIBUTE>>}}
func.func private @uncut(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  return %x : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent optimizer "s.m" : memref<4xf32>
  plan.launch @uncut(%0, %0) [read, write] : memref<4xf32>, memref<4xf32>
  return
}

// -----

// An access that is not declared: the workspace.
plan.variant @v cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64},
    plan.code = {v = #plan.code<1 tiles of 128 elements, workspace 128>}} {
  return %x : tensor<4xf32>
}
func.func @no_workspace() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent optimizer "s.m" : memref<4xf32>
  // expected-error@below {{expected a workspace of at least 128 bytes, which kernel 'k' needs, got 0}}
  plan.launch @k(%0, %0) [read, write] : memref<4xf32>, memref<4xf32>
  return
}
// -----

plan.variant @v cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64},
    plan.code = {v = #plan.code<1 tiles of 128 elements, workspace 128>}} {
  return %x : tensor<4xf32>
}
func.func @small_workspace() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent optimizer "s.m" : memref<4xf32>
  %1 = plan.buffer persistent workspace "workspace" {per_thread} : memref<16xf32>
  // expected-error@below {{expected a workspace of at least 128 bytes, which kernel 'k' needs, got 64}}
  plan.launch @k(%0, %0) [read, write] workspace(%1 : memref<16xf32>) : memref<4xf32>, memref<4xf32>
  return
}
