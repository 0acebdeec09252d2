// RUN: accel-opt %s --accel-verify-accumulate --split-input-file --verify-diagnostics

// expected-error@below {{expected functions of the roles initialize and step after Accumulate, got none of role initialize}}
module {
  func.func @step() attributes {accel.role = #accel.role<step>} {
    return
  }
}

// -----

// expected-error@below {{expected one accel.repeat and one accel.update in a step, got 1 and 0}}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  return
}
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  return
}

// -----

func.func @step() attributes {accel.role = #accel.role<step>} {
  %s = accel.constant dense<1.0> : tensor<f64>
  // expected-error@below {{expected the update behind the loop, got it before}}
  accel.update %s kind "sgd" : tensor<f64>
  accel.repeat {
  }
  return
}
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  return
}

// -----

// Everything else at once: an accumulator that starts from the last step's value, work outside the loop, missing metrics.
// expected-error@below {{expected accumulator 'sum' to be written before the loop, got no write}}
// expected-error@below {{expected initialization to write state 'sum', got no write}}
accel.state @sum accumulator : tensor<f64>
// expected-error@below {{expected metric 'loss' to be reported, got none}}
// expected-error@below {{expected metric 'tokens' to be reported, got none}}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    // expected-error@below {{expected functions that know whether they train, got one that reads the input 'training'}}
    %trains = accel.input "training" : tensor<i1>
  }
  // expected-error@below {{expected input 'x' to be read inside the loop over microbatches, got it outside}}
  %x = accel.input "x" : tensor<f64>
  // expected-error@below {{expected accumulation inside the loop over microbatches, got it outside}}
  accel.accumulate @sum, %x : tensor<f64>
  accel.update %x kind "sgd" : tensor<f64>
  return
}
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  return
}
