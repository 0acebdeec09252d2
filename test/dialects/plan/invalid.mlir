// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @buffer_c1() {
  // expected-error@below {{'plan.buffer' op expected a static row-major shape, got 'memref<?xf32>'}}
  %0 = plan.buffer transient activations : memref<?xf32>
  return
}

// -----

func.func @buffer_c2_symbol() {
  // expected-error@below {{expected the name of the state that a persistent buffer holds}}
  %0 = plan.buffer persistent parameters : memref<4xf32>
  return
}

// -----

func.func @buffer_c2_value() {
  // expected-error@below {{expected the value of a constant buffer}}
  %0 = plan.buffer constant constants : memref<4xf32>
  return
}

// -----

func.func @buffer_c2_copies() {
  // expected-error@below {{expected 1 or 2 copies, got 3}}
  %0 = plan.buffer io io "x" {copies = 3 : i64} : memref<4xf32>
  return
}

// -----

func.func @buffer_c2_transient_copies() {
  // expected-error@below {{expected an io buffer to have copies, got transient}}
  %0 = plan.buffer transient activations {copies = 2 : i64} : memref<4xf32>
  return
}

// -----

func.func @buffer_c2_offset() {
  // expected-error@below {{expected an offset that is a multiple of 64, got 100}}
  %0 = plan.buffer transient activations {offset = 100 : i64} : memref<4xf32>
  return
}

// -----

func.func @buffer_c2_alignment() {
  // expected-error@below {{expected an alignment that is a power of two, at least 64, got 96}}
  %0 = plan.buffer transient activations {alignment = 96 : i64} : memref<4xf32>
  return
}

// -----

func.func @buffer_c2_aligned() {
  // expected-error@below {{expected an offset that is a multiple of 256, got 64}}
  %0 = plan.buffer transient activations {alignment = 256 : i64, offset = 64 : i64} : memref<4xf32>
  return
}

// -----

func.func @buffer_c2_threads() {
  // expected-error@below {{expected a whole persistent buffer to be each thread's own, got transient}}
  %0 = plan.buffer transient activations {per_thread} : memref<4xf32>
  return
}

// -----

func.func @buffer_c3() {
  // expected-error@below {{expected elements that plans know (f64, f32, bf16, f16, f8E4M3FN, f8E5M2, f8E8M0FNU, i64, i32, booleans or ui8), got 'f8E4M3FNUZ'}}
  %0 = plan.buffer transient activations : memref<4xf8E4M3FNUZ>
  return
}

// -----

func.func @view_c1_type() {
  %0 = plan.buffer transient activations : memref<4xf32>
  // expected-error@below {{expected element type 'f32', got 'f64'}}
  %1 = plan.view %0 at 0 : memref<4xf32> to memref<2xf64>
  return
}

// -----

func.func @view_c1_range() {
  %0 = plan.buffer transient activations : memref<4xf32>
  // expected-error@below {{expected elements inside the source's 4, got [3, 5)}}
  %1 = plan.view %0 at 3 : memref<4xf32> to memref<2xf32>
  return
}

// -----

func.func @launch_c1_accesses() {
  %0 = plan.buffer transient activations : memref<4xf32>
  // expected-error@below {{expected one access per buffer, got 2 for 1 buffers}}
  plan.launch @k(%0) [read, write] : memref<4xf32>
  return
}

// -----

func.func @launch_c1_workspace() {
  %0 = plan.buffer transient activations : memref<4xf32>
  %1 = plan.buffer persistent workspace "workspace" : memref<16xf32>
  // expected-error@below {{expected a workspace that each thread has for itself, got one of all threads}}
  plan.launch @k(%0) [write] workspace(%1 : memref<16xf32>) : memref<4xf32>
  return
}

// -----

func.func @fetch_c1_names() {
  %0 = plan.buffer io io "x" : memref<4xf32>
  // expected-error@below {{expected one name per buffer, got 2 for 1 buffers}}
  plan.fetch ["x", "y"] into %0 ahead 0 : memref<4xf32>
  return
}

// -----

func.func @fetch_c1_ahead() {
  %0 = plan.buffer io io "x" : memref<4xf32>
  // expected-error@below {{expected ahead to be 0 or 1, got 2}}
  plan.fetch ["x"] into %0 ahead 2 : memref<4xf32>
  return
}

// -----

func.func @metric_c1() {
  %0 = plan.buffer transient activations : memref<4xf64>
  // expected-error@below {{expected a buffer of rank 0, got 'memref<4xf64>'}}
  plan.metric "loss", %0 : memref<4xf64>
  return
}

// -----

func.func @fill_c1() {
  %0 = plan.buffer persistent scalars "accumulating" : memref<f32>
  // expected-error@below {{expected bytes to be filled with true, got 'memref<f32>'}}
  plan.fill %0 {is_true} : memref<f32>
  return
}

// -----

// stream_c1
plan.stream @a compute
// expected-error@below {{'plan.stream' op expected one stream of kind compute, got @a and @b}}
plan.stream @b compute
