// RUN: accel-opt --run=f --split-input-file --verify-diagnostics %s
// RUN: split-file %S/Inputs/bad-inputs.txt %t
// RUN: not accel-opt --run=f --run-inputs=%t/absent.txt %S/Inputs/identity.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not accel-opt --run=f --run-inputs=%t/no-dictionary.txt %S/Inputs/identity.mlir 2>&1 | FileCheck %s --check-prefix=DICTIONARY
// RUN: not accel-opt --run=f --run-inputs=%t/no-elements.txt %S/Inputs/identity.mlir 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: not accel-opt --run=f --run-inputs=%t/unknown.txt %S/Inputs/identity.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not accel-opt --run=f --run-inputs=%t/type.txt %S/Inputs/identity.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not accel-opt --run=f --run-steps=0 %S/Inputs/identity.mlir 2>&1 | FileCheck %s --check-prefix=STEPS
// ABSENT: absent.txt:1:1: error: expected a readable file of inputs, got: No such file or directory
// DICTIONARY: no-dictionary.txt:1:1: error: expected one dictionary attribute from names to elements, {x = dense<1.0> : tensor<f32>}
// ELEMENTS: no-elements.txt:1:1: error: expected 'x' to be dense elements or a list of them, got 1 : i64
// UNKNOWN: identity.mlir:2:1: error: 'func.func' op expected only names of arguments, inputs, parameters and states in the file of inputs, got y, z
// TYPE: identity.mlir:2:1: error: 'func.func' op cannot be run: expected argument #0 of type 'tensor<2xf32>', got 'tensor<3xf32>'
// STEPS: error: expected at least one step and one microbatch, got 0 and 1

// expected-error@below {{expected a function named 'f' to run, got none}}
module {
}

// -----

// expected-error@below {{'func.func' op cannot be run: it has no body}}
func.func private @f()

// -----

func.func @f(%t: tensor<3xf32>) -> tensor<2xf32> {
  %i = accel.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error@below {{'accel.gather' op cannot be evaluated: expected indices in [0, 3), got 3 at element 1}}
  %y = accel.gather %t, %i : tensor<3xf32>, tensor<2xi64> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @f(%u: tensor<1xf32>) -> tensor<3xf32> {
  %i = accel.constant dense<-1> : tensor<1xi64>
  // expected-error@below {{'accel.scatter_add' op cannot be evaluated: expected indices in [0, 3), got -1 at element 0}}
  %y = accel.scatter_add %i, %u : tensor<1xi64>, tensor<1xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<2x3xf32>, %w: tensor<3x3x4xf32>) -> tensor<2x4xf32> {
  %i = accel.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error@below {{'accel.grouped_matmul' op cannot be evaluated: expected indices in [0, 3), got 3 at element 1}}
  %y = accel.grouped_matmul %x, %w, %i : tensor<2x3xf32>, tensor<3x3x4xf32>, tensor<2xi64> -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<3x3x4xf32> {
  %i = accel.constant dense<[-1, 0]> : tensor<2xi64>
  // expected-error@below {{'accel.grouped_outer' op cannot be evaluated: expected indices in [0, 3), got -1 at element 0}}
  %g = accel.grouped_outer %x, %y, %i : tensor<2x3xf32>, tensor<2x4xf32>, tensor<2xi64> -> tensor<3x3x4xf32>
  return %g : tensor<3x3x4xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<1xf32> {
  %i = accel.constant dense<-4> : tensor<1x1xi64>
  // expected-error@below {{'accel.gather_nd' op cannot be evaluated: expected indices in [-3, 3), got -4}}
  %y = accel.gather_nd %x, %i batch_dims 0 : tensor<3xf32>, tensor<1x1xi64> -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// -----

func.func @f(%x: tensor<2xi64>) -> tensor<2xi64> {
  %y = accel.constant dense<[1, 0]> : tensor<2xi64>
  // expected-error@below {{'accel.div' op cannot be evaluated: expected integer divisors other than zero, got 0 at element 1}}
  %z = accel.div %x, %y : tensor<2xi64>
  return %z : tensor<2xi64>
}

// -----

func.func @f(%x: tensor<f32>) -> tensor<1000000x1000000xf32> {
  // expected-error@below {{'accel.broadcast' op cannot be evaluated: expected at most 268435456 elements in result #0, got 'tensor<1000000x1000000xf32>'}}
  %y = accel.broadcast %x [] : tensor<f32> -> tensor<1000000x1000000xf32>
  return %y : tensor<1000000x1000000xf32>
}

// -----

// expected-error@below {{expected 'accel.value' to hold elements of type 'tensor<2xf32>', got dense<1.000000e+00> : tensor<3xf32>}}
func.func @f(%x: tensor<2xf32> {accel.value = dense<1.0> : tensor<3xf32>},
             // expected-error@below {{expected 'accel.range' to be [lowest, highest] with lowest <= highest, got [4, 3]}}
             %y: tensor<2xf32> {accel.range = [4, 3]}) {
  return
}

// -----

func.func @f() {
  %s = accel.constant dense<1.0> : tensor<f64>
  // expected-error@below {{'accel.update' op cannot be run: expected states of type tensor<f64> for its hyperparameters, got none named @step_count, @warmup_steps, @weight_decay, @momentum}}
  accel.update %s kind "sgd" : tensor<f64>
  return
}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.1 : f64}

// -----

// expected-note@below {{declared here}}
accel.parameter @w : tensor<2xi32>
func.func @f() -> tensor<2xi32> {
  // expected-error@below {{'accel.read' op cannot be run: @w has no value; set one before the run}}
  %w = accel.read @w : tensor<2xi32>
  return %w : tensor<2xi32>
}

// -----

func.func @f() {
  // expected-error@below {{'func.call' op cannot be run: calls are nested too deeply}}
  func.call @f() : () -> ()
  return
}

// -----

// expected-error@below {{expected 'accel.ranges' to be [lowest, highest] or [] for each index of dimension 'accel.ranges_axis' of 'tensor<2x3xi64>', got}}
func.func @f(%x: tensor<2x3xi64> {accel.ranges = [[0, 4], []], accel.ranges_axis = 1 : i64}) -> tensor<2x3xi64> {
  return %x : tensor<2x3xi64>
}
