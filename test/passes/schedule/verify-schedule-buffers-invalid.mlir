// Everything is on one stream here, so that only what lies in the buffers can be wrong.
// RUN: accel-opt %s --accel-verify-schedule --split-input-file --verify-diagnostics

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// The bucket has made room for another one when it is read again.
func.func @replaced() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %buffer = plan.buffer transient gathered in shared : memref<256xf32>
  // expected-note@below {{the parameters: %3 = plan.view %2 at 0 : memref<256xf32> to memref<128xf32>}}
  %first = plan.view %buffer at 0 : memref<256xf32> to memref<128xf32>
  %second = plan.view %buffer at 0 : memref<256xf32> to memref<128xf32>
  plan.repeat {
    plan.all_gather "a.s.master" %a into %first {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @compute} : memref<128xf32>, memref<128xf32>
    plan.launch @use(%first) [read] {stream = @compute} : memref<128xf32>
    plan.all_gather "b.s.master" %b into %second {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @compute} : memref<128xf32>, memref<128xf32>
    plan.launch @use(%second) [read] {stream = @compute} : memref<128xf32>
    // expected-error@below {{'plan.launch' op reads a buffer that does not hold these parameters here}}
    plan.launch @use(%first) [read] {stream = @compute} : memref<128xf32>
  }
  return
}

func.func private @use(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// A part of what is read has been overwritten by a gather next to it.
func.func @overlapped() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %buffer = plan.buffer transient gathered in shared : memref<256xf32>
  // expected-note@below {{the parameters: %3 = plan.view %2 at 0 : memref<256xf32> to memref<128xf32>}}
  %first = plan.view %buffer at 0 : memref<256xf32> to memref<128xf32>
  %second = plan.view %buffer at 64 : memref<256xf32> to memref<128xf32>
  plan.repeat {
    plan.all_gather "a.s.master" %a into %first {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @compute} : memref<128xf32>, memref<128xf32>
    plan.all_gather "b.s.master" %b into %second {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @compute} : memref<128xf32>, memref<128xf32>
    plan.launch @use(%second) [read] {stream = @compute} : memref<128xf32>
    // expected-error@below {{'plan.launch' op reads a buffer that does not hold these parameters here}}
    plan.launch @use(%first) [read] {stream = @compute} : memref<128xf32>
  }
  return
}

func.func private @use(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// Nothing has been gathered in this iteration: what the one before it left is not counted on.
func.func @iterations() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %buffer = plan.buffer transient gathered in shared : memref<256xf32>
  // expected-note@below {{the parameters: %2 = plan.view %1 at 0 : memref<256xf32> to memref<128xf32>}}
  %first = plan.view %buffer at 0 : memref<256xf32> to memref<128xf32>
  plan.all_gather "a.s.master" %a into %first {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @compute} : memref<128xf32>, memref<128xf32>
  plan.repeat {
    // expected-error@below {{'plan.launch' op reads a buffer that does not hold these parameters here}}
    plan.launch @use(%first) [read] {stream = @compute} : memref<128xf32>
    plan.all_gather "a.s.master" %a into %first {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @compute} : memref<128xf32>, memref<128xf32>
  }
  return
}

func.func private @use(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// A parameter inside of a segment is read where the segment has been gathered, and only there.
func.func @parameter() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %buffer = plan.buffer transient gathered in shared : memref<256xf32>
  %first = plan.view %buffer at 0 : memref<256xf32> to memref<128xf32>
  // expected-note@below {{the parameters: %3 = plan.view %1 at 128 : memref<256xf32> to memref<128xf32>}}
  %second = plan.view %buffer at 128 : memref<256xf32> to memref<128xf32>
  %p = plan.view %first at 32 : memref<128xf32> to memref<8xf32>
  %q = plan.view %second at 32 : memref<128xf32> to memref<8xf32>
  plan.repeat {
    plan.all_gather "a.s.master" %a into %first {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @compute} : memref<128xf32>, memref<128xf32>
    plan.launch @use(%p) [read] {stream = @compute} : memref<8xf32>
    // expected-error@below {{'plan.launch' op reads a buffer that does not hold these parameters here}}
    plan.launch @use(%q) [read] {stream = @compute} : memref<8xf32>
  }
  return
}

func.func private @use(%a0: tensor<8xf32>) attributes {plan.kernel = {columns = 8 : i64, elements = 8 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

// Whose memory a bucket is gathered into does not matter.
func.func @device() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %whole = plan.buffer transient gathered : memref<256xf32>
  // expected-note@below {{the parameters: %3 = plan.view %2 at 0 : memref<256xf32> to memref<128xf32>}}
  %first = plan.view %whole at 0 : memref<256xf32> to memref<128xf32>
  %second = plan.view %whole at 64 : memref<256xf32> to memref<128xf32>
  plan.repeat {
    plan.all_gather "a.s.master" %a into %first {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    plan.all_gather "b.s.master" %b into %second {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    // expected-error@below {{'plan.launch' op reads a buffer that does not hold these parameters here}}
    plan.launch @use(%first) [read] : memref<128xf32>
  }
  return
}
func.func private @use(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

// No bucket begins to come into a place beside the one that is still read: parts of three would be there.
plan.stream @compute compute
plan.stream @communication communication
func.func @beside() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %whole = plan.buffer transient gathered : memref<256xf32>
  %first = plan.view %whole at 0 : memref<256xf32> to memref<128xf32>
  %second = plan.view %whole at 128 : memref<256xf32> to memref<128xf32>
  plan.all_gather "a.s.master" %a into %first {shard = #plan.shard<128 granule 128 over "fsdp">, signals = [#plan.event<0>], stream = @communication} : memref<128xf32>, memref<128xf32>
  // expected-note@below {{the other instruction}}
  plan.launch @use(%first) [read] {stream = @compute, waits = [#plan.wait<0>]} : memref<128xf32>
  // expected-error@below {{'plan.all_gather' op on the communication stream is not ordered after an instruction on the compute stream that touches the same bytes (iterations 0 and 0)}}
  plan.all_gather "b.s.master" %b into %second {shard = #plan.shard<128 granule 128 over "fsdp">, stream = @communication} : memref<128xf32>, memref<128xf32>
  return
}
func.func private @use(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
