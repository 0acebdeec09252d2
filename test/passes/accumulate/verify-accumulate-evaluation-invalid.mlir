// RUN: accel-opt %s --accel-verify-accumulate --split-input-file --verify-diagnostics

// A function to evaluate that does what only a step may do: everything at once.
accel.parameter @w : tensor<2x4xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
accel.state @target_count accumulator : tensor<f64>
accel.state @count counter : tensor<f64>

func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %zero = accel.constant dense<0.0> : tensor<f64>
  accel.write @loss_sum, %zero : tensor<f64>
  accel.write @target_count, %zero : tensor<f64>
  accel.write @count, %zero : tensor<f64>
  return
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %zero = accel.constant dense<0.0> : tensor<f64>
  accel.write @loss_sum, %zero : tensor<f64>
  accel.write @target_count, %zero : tensor<f64>
  accel.repeat {
  }
  accel.metric "loss", %zero : tensor<f64>
  accel.metric "tokens", %zero : tensor<f64>
  accel.update %zero kind "sgd" : tensor<f64>
  return
}
// expected-error@below {{expected 'target_count' to be written before the loop, got no write}}
// expected-error@below {{expected metric 'loss_sum' to be reported, got none}}
func.func @evaluate() attributes {accel.role = #accel.role<evaluate>} {
  %zero = accel.constant dense<0.0> : tensor<f64>
  accel.write @loss_sum, %zero : tensor<f64>
  // expected-error@below {{expected an evaluation to change 'loss_sum' and 'target_count' alone, got 'count'}}
  accel.write @count, %zero : tensor<f64>
  accel.repeat {
    %x = accel.input "x" : tensor<2x4xf32>
    %samples = accel.input "sample_indices" : tensor<2xi64>
    %seed = accel.input "seed" : tensor<i64>
    // expected-error@below {{expected an evaluation without random numbers, got accel.dropout with some}}
    %y = accel.dropout %x, %samples, %seed probability 0.1 site 1 : tensor<2x4xf32>, tensor<2xi64>, tensor<i64>
    %q = accel.reshape %x : tensor<2x4xf32> -> tensor<2x1x2x2xf32>
    // expected-error@below {{expected an evaluation without random numbers, got accel.attention with some}}
    %z, %lse = accel.attention %q, %q, %q dropout %samples, %seed probability 0.2 site 2 : tensor<2xi64>, tensor<i64> scale 0.5 : tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32> -> tensor<2x1x2x2xf32>, tensor<2x1x2xf32>
    // expected-error@below {{expected an evaluation to change 'loss_sum' and 'target_count' alone, got 'w'}}
    accel.accumulate @w, %y : tensor<2x4xf32>
  }
  accel.metric "tokens", %zero : tensor<f64>
  // expected-error@below {{expected an evaluation to leave parameters as they are, got an update}}
  accel.update %zero kind "sgd" : tensor<f64>
  return
}
