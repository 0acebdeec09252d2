// RUN: accel-opt %s --accel-verify-differentiate --split-input-file --verify-diagnostics

// expected-error@below {{expected attribute 'accel.gradient_exponent', an integer that is not negative, got none}}
module {
  // expected-error@below {{expected a gradient of trainable parameter 'w', got none}}
  accel.parameter @w : tensor<2xf32> trainable
  accel.state @lr hyperparameter : tensor<f64>
  // expected-error@below {{expected no results of @microbatch, got 1}}
  // expected-error@below {{expected attribute 'accel.name' on argument 0 of @microbatch, got none}}
  // expected-error@below {{expected 'loss_sum' to be accumulated, got no accel.accumulate of it}}
  // expected-error@below {{expected 'target_count' to be accumulated, got no accel.accumulate of it}}
  func.func @microbatch(%x: tensor<f64>) -> tensor<f64> {
    // expected-error@below {{expected a parameter or an accumulator, got state 'lr' of kind hyperparameter}}
    accel.accumulate @lr, %x : tensor<f64>
    return %x : tensor<f64>
  }
}

// -----

// expected-error@below {{expected a function @microbatch after Differentiate, got none}}
module {
}
