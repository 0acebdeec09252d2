// RUN: accel-opt %s --accel-assign-buckets --split-input-file --verify-diagnostics

// expected-error@below {{buckets: trainable parameter 'w': expected element type f32, got tensor<3xbf16>}}
module {
  accel.parameter @w : tensor<3xbf16> trainable
  func.func @init() {
    return
  }
  func.func @step() {
    accel.repeat {
    }
    %s = accel.constant dense<1.0> : tensor<f64>
    accel.update %s kind "adamw" schedule "constant" : tensor<f64>
    return
  }
}

// -----

// expected-error@below {{expected functions @init and @step, the latter with one accel.repeat and one accel.update}}
module {
}
