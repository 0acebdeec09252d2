// RUN: accel-opt %s --accel-insert-inference --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a function @forward, got none}}
module {}

// -----

// expected-error @+1 {{expected 'accel.name' of argument 0, got none}}
func.func @forward(%x: tensor<2xf32>) -> (tensor<2xf32> {accel.name = "y"}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{expected 'accel.name' of result 0, got none}}
func.func @forward(%x: tensor<2xf32> {accel.name = "x"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
