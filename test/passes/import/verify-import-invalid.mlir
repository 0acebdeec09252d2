// RUN: accel-opt %s --accel-verify-import --split-input-file --verify-diagnostics

// Everything that cannot be compiled is named at once, where it stands in the model.
func.func @forward(%x: tensor<4x?xf32> {accel.name = "x"}, %i: tensor<3xi64> {accel.name = "i"}) -> (tensor<4x?xf32> {accel.name = "y"}, tensor<3xi64> {accel.name = "j"}) {
  // expected-error@below {{expected static shapes after Import, got 'tensor<4x?xf32>'; bind the dimension with --dim NAME=SIZE}}
  %y = accel.relu %x : tensor<4x?xf32>
  // expected-error@below {{expected 'accel.cumsum' to depend on constants only, so that it can be evaluated, got operands that depend on inputs or parameters}}
  %j = accel.cumsum %i axis 0 : tensor<3xi64>
  return %y, %j : tensor<4x?xf32>, tensor<3xi64>
}

// -----

// expected-error@below {{expected attribute 'accel.name' on argument 0 of @forward, got none}}
// expected-error@below {{expected attribute 'accel.name' on result 0 of @forward, got none}}
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{expected an operation of dialect accel after Import, got 'func.call'}}
  %y = func.call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32>

// -----

// That of a state that a later phase adds.
// expected-error@below {{expected a parameter name that the step does not use itself, got 'accumulating'; rename it in the model and export again}}
accel.parameter @accumulating : tensor<4xf32> trainable
func.func @forward(%x: tensor<4xf32> {accel.name = "x"}) -> (tensor<4xf32> {accel.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// A parameter's name is that of a hyperparameter.
// expected-error@below {{expected a parameter name that the step does not use itself, got 'lr'; rename it in the model and export again}}
accel.parameter @lr : tensor<4xf32> trainable
func.func @forward(%x: tensor<4xf32> {accel.name = "x"}) -> (tensor<4xf32> {accel.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{expected one function @forward of one block after Import, got none}}
module {
}
