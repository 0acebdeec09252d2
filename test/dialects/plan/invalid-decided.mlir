// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @no_waits() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{attribute 'waits' failed to satisfy constraint: a list of events that are waited for}}
  plan.fill %0 {waits = [#plan.event<0>]} : memref<8xf32>
  return
}

// -----

func.func @negative() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{expected an event that is not negative, got -1}}
  plan.fill %0 {signals = [#plan.event<-1>]} : memref<8xf32>
  return
}

// -----

func.func @negative_wait() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{expected an event and a distance that are not negative, got 1 and -1}}
  plan.fill %0 {waits = [#plan.wait<1, -1 ago>]} : memref<8xf32>
  return
}

// -----

func.func @stream() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{attribute 'stream' failed to satisfy constraint: flat symbol reference attribute}}
  plan.fill %0 {stream = "compute"} : memref<8xf32>
  return
}

// -----

func.func @cost() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{expected positive counts, got 0}}
  plan.fill %0 {cost = #plan.cost<32 bytes, 0 f32>} : memref<8xf32>
  return
}

// -----

func.func @types() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{expected a count for each type, each once, got 2 counts for 2 types of which 1 differ}}
  plan.fill %0 {cost = #plan.cost<32 bytes, 1 f32, 2 f32>} : memref<8xf32>
  return
}

// -----

func.func @size() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{expected a positive number of bytes, got 0}}
  plan.all_reduce %0 over ["fsdp"] {bytes_sent = #plan.size<0 bytes>} : memref<8xf32>
  return
}

// -----

func.func @bits() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{expected a positive number of bits, got -32}}
  plan.all_reduce %0 over ["fsdp"] {bytes_sent = #plan.size<-32 bits of <8 granule 8 over "fsdp">>} : memref<8xf32>
  return
}

// -----

func.func @bytes_sent() {
  %0 = plan.buffer transient activations : memref<8xf32>
  // expected-error @+1 {{attribute 'bytes_sent' failed to satisfy constraint: a number of bytes that may depend on the number of ranks}}
  plan.all_reduce %0 over ["fsdp"] {bytes_sent = 64 : i64} : memref<8xf32>
  return
}

// -----

// expected-error @+1 {{expected an instruction and bytes that are not negative, got -1 and 16}}
module attributes {plan.peak = #plan.peak<@step at -1, 16 bytes>} {
}

// -----

func.func @gathers() {
  // expected-error @+1 {{expected a shared buffer that buckets are gathered into, got one of space device}}
  %0 = plan.buffer transient gathered {gathers = [[#plan.size<32 bits of <8 granule 8 over "fsdp">>]]} : memref<8xf32>
  return
}

// -----

func.func @no_sizes() {
  // expected-error @+1 {{attribute 'gathers' failed to satisfy constraint: a list of sizes of segments for each bucket}}
  %0 = plan.buffer transient gathered in shared {gathers = [#plan.size<16 bytes>]} : memref<8xf32>
  return
}
