// What a launch and its kernel say of each other is checked where launches are made.
// RUN: accel-opt %s --accel-verify-fuse --split-input-file --verify-diagnostics

// launch_c2
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer transient activations : memref<4xf32>
  // expected-error@below {{'plan.launch' op expected a kernel named 'k'}}
  plan.launch @k(%0) [write] units 1 : memref<4xf32>
  return
}
