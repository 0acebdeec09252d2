// RUN: accel-opt %s --accel-verify-partition --split-input-file --verify-diagnostics

// expected-error@below {{expected 'loss_sum' to be summed over the ranks, got no collective that does}}
accel.state @loss_sum : tensor<f64> {kind = "accumulator"}
func.func @step() {
  accel.repeat {
  }
  return
}

// -----

// A collective per microbatch is another mode's.
accel.state @loss_sum : tensor<f64> {kind = "accumulator"}
func.func @step() {
  accel.repeat {
    // expected-error@below {{expected collectives behind the loop, got one inside}}
    dist.all_reduce [@loss_sum] over ["replica"]
  }
  dist.all_reduce [@loss_sum] over ["replica"]
  return
}

// -----

accel.state @loss_sum : tensor<f64> {kind = "accumulator"}
func.func @step() {
  // expected-error@below {{expected @loss_sum to be summed behind the loop, got it in front}}
  dist.all_reduce [@loss_sum] over ["replica"]
  accel.repeat {
  }
  dist.all_reduce [@loss_sum] over ["replica"]
  return
}

// -----

accel.state @loss_sum : tensor<f64> {kind = "accumulator"}
func.func @step() {
  accel.repeat {
  }
  dist.all_reduce [@loss_sum] over ["replica"]
  // expected-error@below {{expected @loss_sum to be summed once, got it twice}}
  dist.all_reduce [@loss_sum] over ["replica"]
  return
}

// -----

accel.state @loss_sum : tensor<f64> {kind = "accumulator"}
func.func @step() {
  accel.repeat {
  }
  // expected-error@below {{expected @loss_sum to be summed over the ranks before it is used, got a use in front of that}}
  %early = accel.read @loss_sum : tensor<f64>
  dist.all_reduce [@loss_sum] over ["replica"]
  return
}

// -----

accel.state @lr : tensor<f64> {kind = "hyperparameter"}
func.func @step() {
  accel.repeat {
  }
  // expected-error@below {{expected an accumulator or the gradient of a segment, got @lr}}
  dist.all_reduce [@lr] over ["replica"]
  return
}
