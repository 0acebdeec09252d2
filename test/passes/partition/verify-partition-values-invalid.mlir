// Sums over ranks of values of a microbatch, forgotten, out of place and over other ranks.
// RUN: accel-opt %s --accel-verify-partition --split-input-file --verify-diagnostics

accel.state @loss_sum accumulator : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.constant dense<1.0> : tensor<f64>
  accel.repeat {
    // expected-error@below {{expected this value to be summed over the ranks in the loop, got no dist.all_reduce_value that does}}
    %all = accel.sum_over_ranks %x : tensor<f64>
    accel.accumulate @loss_sum, %all : tensor<f64>
  }
  dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  return
}

// -----

// In front of the loop no rank has a microbatch yet; behind it ranks have added up several.
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.constant dense<1.0> : tensor<f64>
  // expected-error@below {{expected a value of the microbatch to be summed over the ranks in the loop, got it in front of the loop}}
  %before = dist.all_reduce_value %x over ["replica", "fsdp"] : tensor<f64>
  accel.repeat {
  }
  // expected-error@below {{expected a value of the microbatch to be summed over the ranks in the loop, got it behind the loop}}
  %behind = dist.all_reduce_value %x over ["replica", "fsdp"] : tensor<f64>
  return
}

// -----

// Ranks along every axis of the data have samples of their own.
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.constant dense<1.0> : tensor<f64>
  accel.repeat {
    // expected-error@below {{expected a value of the microbatch to be summed over the ranks along replica and fsdp, got ["fsdp"]}}
    %all = dist.all_reduce_value %x over ["fsdp"] : tensor<f64>
  }
  return
}
