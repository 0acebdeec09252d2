// RUN: accel-opt %s --accel-verify-fuse --split-input-file --verify-diagnostics

func.func @step() {
  %0 = plan.buffer transient "activations" : memref<4xf32>
  // expected-error@below {{expected a kernel named 'missing'}}
  plan.launch @missing(%0) [write] units 1 : memref<4xf32>
  return
}

// -----

func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {}} {
  return %x : tensor<4xf32>
}
func.func @step() {
  %0 = plan.buffer transient "activations" : memref<4xf32>
  // expected-error@below {{expected 2 buffers for kernel 'k', got 1}}
  plan.launch @k(%0) [write] units 1 : memref<4xf32>
  return
}

// -----

func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {}} {
  return %x : tensor<4xf32>
}
func.func @step() {
  %0 = plan.buffer transient "activations" : memref<4xf32>
  %1 = plan.buffer io "io" "x" : memref<8xf32>
  // expected-error@below {{expected a buffer for 'tensor<4xf32>' as operand 0 of kernel 'k', got 'memref<8xf32>'}}
  plan.launch @k(%1, %0) [read, write] units 1 : memref<8xf32>, memref<4xf32>
  return
}

// -----

func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {}} {
  return %x : tensor<4xf32>
}
func.func @step() {
  // expected-note@below {{the buffer}}
  %0 = plan.buffer transient "activations" : memref<4xf32>
  %1 = plan.buffer transient "activations" : memref<4xf32>
  // expected-error@below {{reads a transient buffer that nothing has written}}
  plan.launch @k(%0, %1) [read, write] units 1 : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @step() {
  // expected-error@below {{expected no tensor outside kernels, got 'tensor<4xf32>'}}
  %0 = accel.input "x" : tensor<4xf32>
  return
}
