// RUN: accel-opt %s --accel-verify-accumulate --split-input-file --verify-diagnostics

// A function to count that does what only a step may do, and not all that it is there for.
accel.parameter @w : tensor<2x4xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
// expected-error@below {{expected 'counted_samples' to be written before the loop of a function of role count, got no write}}
accel.state @counted_samples accumulator : tensor<f64>
accel.state @counted_0 accumulator : tensor<f64>
// expected-error@below {{expected 'samples_per_count_0' to be written behind the loop of a function of role count, got no write}}
accel.state @samples_per_count_0 counter : tensor<f64>

func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %zero = accel.constant dense<0.0> : tensor<f64>
  accel.write @loss_sum, %zero : tensor<f64>
  accel.write @counted_samples, %zero : tensor<f64>
  accel.write @counted_0, %zero : tensor<f64>
  accel.write @samples_per_count_0, %zero : tensor<f64>
  return
}
func.func @count() attributes {accel.role = #accel.role<count>} {
  %zero = accel.constant dense<0.0> : tensor<f64>
  accel.write @counted_0, %zero : tensor<f64>
  accel.write @samples_per_count_0, %zero : tensor<f64>
  accel.repeat {
    %x = accel.input "x" : tensor<2x4xf32>
    %samples = accel.input "sample_indices" : tensor<2xi64>
    %seed = accel.input "seed" : tensor<i64>
    // expected-error@below {{expected a function of role count to count only, got accel.dropout}}
    %y = accel.dropout %x, %samples, %seed probability 0.1 site 1 : tensor<2x4xf32>, tensor<2xi64>, tensor<i64>
    // expected-error@below {{expected a function of role count to change counts alone, got 'w'}}
    accel.accumulate @w, %y : tensor<2x4xf32>
  }
  // expected-error@below {{expected a function of role count to change counts alone, got 'loss_sum'}}
  accel.write @loss_sum, %zero : tensor<f64>
  // expected-error@below {{expected a function of role count to count only, got accel.metric}}
  accel.metric "tokens", %zero : tensor<f64>
  return
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %zero = accel.constant dense<0.0> : tensor<f64>
  accel.write @loss_sum, %zero : tensor<f64>
  accel.repeat {
  }
  accel.metric "loss", %zero : tensor<f64>
  accel.metric "tokens", %zero : tensor<f64>
  accel.update %zero kind "sgd" : tensor<f64>
  return
}

// -----

// Counts that nobody counts.
// expected-error@below {{expected 'counted_0' to be written before the loop of a function of role count, got no write}}
accel.state @counted_0 accumulator : tensor<f64>

func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %zero = accel.constant dense<0.0> : tensor<f64>
  accel.write @counted_0, %zero : tensor<f64>
  return
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %zero = accel.constant dense<0.0> : tensor<f64>
  accel.repeat {
  }
  accel.metric "loss", %zero : tensor<f64>
  accel.metric "tokens", %zero : tensor<f64>
  accel.update %zero kind "sgd" : tensor<f64>
  return
}
