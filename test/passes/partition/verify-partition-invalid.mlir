// RUN: accel-opt %s --accel-verify-partition --split-input-file --verify-diagnostics

// expected-error@below {{expected 'loss_sum' to be summed over the ranks behind the loop, got no dist.all_reduce that does}}
accel.state @loss_sum accumulator : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.constant dense<1.0> : tensor<f64>
  accel.repeat {
    accel.accumulate @loss_sum, %x : tensor<f64>
  }
  return
}

// -----

// Another function's exchange does not count.
// expected-error@below {{expected 'loss_sum' to be summed over the ranks behind the loop, got no dist.all_reduce that does}}
accel.state @loss_sum accumulator : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.constant dense<1.0> : tensor<f64>
  accel.repeat {
    accel.accumulate @loss_sum, %x : tensor<f64>
  }
  dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  return
}
func.func @measure() attributes {accel.role = #accel.role<evaluate>} {
  %x = accel.constant dense<1.0> : tensor<f64>
  accel.repeat {
    accel.accumulate @loss_sum, %x : tensor<f64>
  }
  return
}

// -----

// A collective per microbatch is another mode's.
accel.state @loss_sum accumulator : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    // expected-error@below {{expected @loss_sum to be summed over the ranks behind the loop (dist.all_reduce), got dist.all_reduce in the loop}}
    dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  }
  dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  return
}

// -----

accel.state @loss_sum accumulator : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  // expected-error@below {{expected @loss_sum to be summed over the ranks behind the loop (dist.all_reduce), got dist.all_reduce in front of the loop}}
  dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  accel.repeat {
  }
  dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  return
}

// -----

accel.state @loss_sum accumulator : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  // expected-error@below {{expected @loss_sum to be exchanged once, got it twice}}
  dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  return
}

// -----

accel.state @loss_sum accumulator : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  // expected-error@below {{expected this use of @loss_sum behind the dist.all_reduce of 'loss_sum', got it in front}}
  %early = accel.read @loss_sum : tensor<f64>
  dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  return
}

// -----

accel.state @lr hyperparameter : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  // expected-error@below {{expected a state that ranks exchange, got @lr}}
  dist.all_reduce [@lr] over ["replica", "fsdp"]
  return
}

// -----

// Held in part: microbatch by microbatch.
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>}
// expected-error@below {{expected 'm.d.gradient' to be summed over the ranks, to each its part, in the loop, got no dist.reduce_scatter that does}}
accel.state @"m.d.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  // expected-error@below {{expected @m.d.gradient to be summed over the ranks, to each its part, in the loop (dist.reduce_scatter), got dist.reduce_scatter behind the loop}}
  dist.reduce_scatter [@"m.d.gradient"] over ["fsdp"]
  return
}

// -----

accel.parameter @w : tensor<16x8xf32> trainable {segment = @"m.d.master", offset = 0 : i64}
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"m.d.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    // expected-error@below {{expected this use of @w behind the dist.all_gather of 'm.d.master', got it in front}}
    %early = accel.read @w : tensor<16x8xf32>
    dist.all_gather [@"m.d.master"] over ["fsdp"]
    %w = accel.read @w : tensor<16x8xf32>
    dist.reduce_scatter [@"m.d.gradient"] over ["fsdp"]
    // expected-error@below {{expected this use of @w in front of the dist.reduce_scatter of 'm.d.gradient', got it behind}}
    accel.accumulate @w, %w : tensor<16x8xf32>
  }
  return
}

// -----

accel.state @square_sum partial : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  %zero = accel.constant dense<0.0> : tensor<f64>
  accel.write @square_sum, %zero : tensor<f64>
  // expected-error@below {{expected this use of @square_sum behind the dist.all_reduce of 'square_sum', got it in front}}
  %early = accel.read @square_sum : tensor<f64>
  dist.all_reduce [@square_sum] over ["replica", "fsdp"]
  return
}

// -----

accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  dist.all_gather [@"m.d.master"] over ["fsdp"]
  %zero = accel.constant dense<0.0> : tensor<128xf32>
  // expected-error@below {{expected this use of @m.d.master in front of the dist.all_gather of 'm.d.master', got it behind}}
  accel.write @"m.d.master", %zero : tensor<128xf32>
  return
}

// -----

// Ranks along the other axis have other samples.
accel.state @loss_sum accumulator : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  // expected-error@below {{expected @loss_sum to be summed over the ranks along replica and fsdp, got ["replica"]}}
  dist.all_reduce [@loss_sum] over ["replica"]
  return
}

// -----

// What ranks hold decides, not which collective is there: all of a gradient of which they hold all is summed for everybody.
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @"m.d.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  // expected-error@below {{expected a state that ranks exchange, got @m.d.master}}
  dist.all_reduce [@"m.d.master"] over ["replica", "fsdp"]
  dist.all_reduce [@"m.d.gradient"] over ["replica", "fsdp"]
  return
}

// -----

// Each rank has updated its part of what it holds whole, which is nobody's business in the loop.
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    // expected-error@below {{expected @m.d.master to be gathered from the ranks behind the loop (dist.all_gather), got dist.all_gather in the loop}}
    dist.all_gather [@"m.d.master"] over ["fsdp"]
  }
  dist.all_gather [@"m.d.master"] over ["fsdp"]
  return
}

// -----

// The gradient of a parameter is that of its segment.
accel.parameter @w : tensor<16x8xf32> trainable {segment = @"m.d.master", offset = 0 : i64}
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @"m.d.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %w = accel.read @w : tensor<16x8xf32>
    accel.accumulate @w, %w : tensor<16x8xf32>
  }
  // expected-error@below {{expected this use of @w behind the dist.all_reduce of 'm.d.gradient', got it in front}}
  %early = accel.gradient @w : tensor<16x8xf32>
  dist.all_reduce [@"m.d.gradient"] over ["replica", "fsdp"]
  return
}

// -----

// An evaluation updates nothing that could be gathered.
accel.state @"m.d.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "d">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func @measure() attributes {accel.role = #accel.role<evaluate>} {
  accel.repeat {
  }
  // expected-error@below {{expected a state that ranks exchange, got @m.d.master}}
  dist.all_gather [@"m.d.master"] over ["fsdp"]
  return
}
