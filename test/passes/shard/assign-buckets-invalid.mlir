// RUN: accel-opt %s --accel-assign-buckets --split-input-file --verify-diagnostics

module {
  // expected-error@below {{trainable parameter 'w': expected element type f32, got 'bf16' (and 1 more); convert the model with model.float() before the export}}
  accel.parameter @w : tensor<3xbf16> trainable
  accel.parameter @v : tensor<3xf64> trainable
  accel.parameter @constant : tensor<3xf64>
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    return
  }
  func.func @step() attributes {accel.role = #accel.role<step>} {
    accel.repeat {
    }
    %s = accel.constant dense<1.0> : tensor<f64>
    accel.update %s kind "adamw" : tensor<f64>
    return
  }
}

// -----

// expected-error@below {{expected functions of the roles initialize and step, the latter with one accel.repeat and one accel.update}}
module {
}
