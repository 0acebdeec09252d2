// RUN: accel-opt %s --accel-verify-accumulate --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a function of role initialize beside that of role infer, got none}}
module {
  accel.state @x input : tensor<2xf32> {accel.name = "x"}
  // expected-error @+1 {{expected output 'y' to be written once, got 0 writes}}
  accel.state @y output : tensor<2xf32> {accel.name = "y"}
  // expected-error @+1 {{expected 'z' to say what the model calls it, got no 'accel.name'}}
  accel.state @z input : tensor<2xf32>
  // expected-error @+1 {{expected inputs and outputs alone beside a function of role infer, got a state of kind counter}}
  accel.state @step_count counter : tensor<f64> {accel.name = "step_count"}
  func.func @infer() attributes {accel.role = #accel.role<infer>} {
    %x = accel.read @x : tensor<2xf32>
    // expected-error @+1 {{expected a function of role infer to compute outputs alone, got accel.write}}
    accel.write @x, %x : tensor<2xf32>
    return
  }
}

// -----

module {
  accel.state @y output : tensor<2xf32> {accel.name = "y"}
  accel.state @none output : tensor<0xf32> {accel.name = "none"}
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    return
  }
  func.func @infer() attributes {accel.role = #accel.role<infer>} {
    // expected-error @+1 {{expected a function of role infer to compute outputs alone, got accel.input}}
    %x = accel.input "x" : tensor<2xf32>
    accel.write @y, %x : tensor<2xf32>
    return
  }
}
