// RUN: accel-opt %s --accel-differentiate-module --split-input-file --verify-diagnostics

accel.parameter @w : tensor<2xf32>
// expected-error@below {{expected at least one trainable parameter that the model reads, got none}}
func.func @microbatch(%x: tensor<2xf32> {accel.name = "x"}) -> (tensor<2xf32>, tensor<f64>, tensor<f64>) {
  %w = accel.read @w : tensor<2xf32>
  %l = accel.mul %x, %w : tensor<2xf32>
  %s = accel.constant dense<0.0> : tensor<f64>
  return %l, %s, %s : tensor<2xf32>, tensor<f64>, tensor<f64>
}

// -----

// expected-warning@below {{parameter 'w' does not influence the loss; it keeps its value}}
accel.parameter @w : tensor<2xf32> trainable
// expected-error@below {{expected a trainable parameter that influences the loss, got none; nothing would be trained}}
func.func @microbatch(%x: tensor<2xf32> {accel.name = "x"}) -> (tensor<2xf32>, tensor<f64>, tensor<f64>) {
  %w = accel.read @w : tensor<2xf32>
  %b = accel.compare gt, %w, %x : tensor<2xf32> -> tensor<2xi1>
  %l = accel.cast %b : tensor<2xi1> -> tensor<2xf32>
  %s = accel.constant dense<0.0> : tensor<f64>
  return %l, %s, %s : tensor<2xf32>, tensor<f64>, tensor<f64>
}

// -----

// expected-error@below {{expected a function @microbatch that returns losses, their sum and their count, got none}}
module {
}
