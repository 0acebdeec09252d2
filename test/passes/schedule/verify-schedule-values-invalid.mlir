// Sums over ranks in the loop, without the events that order them and the kernels around them.
// RUN: accel-opt %s --accel-verify-schedule --split-input-file --verify-diagnostics

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// Ranks would add what is not computed yet.
func.func @too_early() {
  %0 = plan.buffer transient activations : memref<8xf32>
  plan.repeat {
    // expected-note@below {{the other instruction}}
    plan.launch @k(%0) [write] {stream = @compute, waits = [#plan.wait<1, 1 ago>]} : memref<8xf32>
    // expected-error@below {{on the communication stream is not ordered after an instruction on the compute stream that touches the same bytes (iterations 0 and 0)}}
    plan.all_reduce %0 over ["replica", "fsdp"] {signals = [#plan.event<1>], stream = @communication} : memref<8xf32>
  }
  return
}

func.func private @k() -> tensor<8xf32> attributes {plan.kernel = {columns = 8 : i64, elements = 8 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<8xf32>
  return %r0 : tensor<8xf32>
}

// -----

plan.stream @compute compute
plan.stream @communication communication
plan.stream @host host
// The next microbatch would overwrite what ranks still add.
func.func @too_soon_again() {
  %0 = plan.buffer transient activations : memref<8xf32>
  plan.repeat {
    // expected-error@below {{on the compute stream is not ordered after an instruction on the communication stream that touches the same bytes}}
    plan.launch @k(%0) [write] {signals = [#plan.event<0>], stream = @compute} : memref<8xf32>
    // expected-note@below {{the other instruction}}
    plan.all_reduce %0 over ["replica", "fsdp"] {stream = @communication, waits = [#plan.wait<0>]} : memref<8xf32>
  }
  return
}

func.func private @k() -> tensor<8xf32> attributes {plan.kernel = {columns = 8 : i64, elements = 8 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<8xf32>
  return %r0 : tensor<8xf32>
}
