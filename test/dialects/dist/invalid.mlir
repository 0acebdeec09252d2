// RUN: accel-opt %s --split-input-file --verify-diagnostics

// all_reduce_c1
func.func @no_state() {
  // expected-error@below {{expected the name of a state of floats, got @loss_sum}}
  dist.all_reduce [@loss_sum] over ["replica"]
  return
}

// -----

// all_reduce_c1
accel.state @loss_sum accumulator : tensor<f64>
func.func @twice() {
  // expected-error@below {{expected each state once, got @loss_sum twice}}
  dist.all_reduce [@loss_sum, @loss_sum] over ["replica"]
  return
}

// -----

// all_reduce_c2
accel.state @loss_sum accumulator : tensor<f64>
func.func @no_axis() {
  // expected-error@below {{expected at least one axis of the mesh, got none}}
  dist.all_reduce [@loss_sum] over []
  return
}

// -----

// all_reduce_c2
accel.state @loss_sum accumulator : tensor<f64>
func.func @unknown_axis() {
  // expected-error@below {{expected an axis of the mesh (replica, fsdp, tensor, pipeline, context, expert), got 'data'}}
  dist.all_reduce [@loss_sum] over ["data"]
  return
}

// -----

// all_reduce_c2
accel.state @loss_sum accumulator : tensor<f64>
func.func @axis_twice() {
  // expected-error@below {{expected each axis once, got 'fsdp' twice}}
  dist.all_reduce [@loss_sum] over ["fsdp", "fsdp"]
  return
}

// -----

// all_reduce_value_c1
func.func @value_without_axis(%x: tensor<4xf32>) {
  // expected-error@below {{expected at least one axis of the mesh, got none}}
  %y = dist.all_reduce_value %x over [] : tensor<4xf32>
  return
}

// -----

// all_reduce_value_c1
func.func @value_along_unknown_axis(%x: tensor<4xf32>) {
  // expected-error@below {{expected an axis of the mesh (replica, fsdp, tensor, pipeline, context, expert), got 'data'}}
  %y = dist.all_reduce_value %x over ["data"] : tensor<4xf32>
  return
}
