// Instructions name the infinities that the program makes of its constants: none more, none less, and of what they write.
// RUN: accel-opt %s --accel-verify-schedule --split-input-file --verify-diagnostics

func.func @missing() {
  %0 = plan.buffer constant constants {value = dense<0xFF800000> : tensor<4xf32>} : memref<4xf32>
  %1 = plan.buffer transient activations : memref<4xf32>
  // expected-error @+1 {{'plan.copy' op expected infinities [#plan.infinity<1 negative>], which is what its operands and its kernel say, got none}}
  plan.copy %0 to %1 {phase = #plan.phase<load>} : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @invented() {
  %0 = plan.buffer transient activations : memref<4xf32>
  // expected-error @+1 {{'plan.fill' op expected infinities of no access, which is what its operands and its kernel say, got [#plan.infinity<0 both>]}}
  plan.fill %0 {phase = #plan.phase<load>, infinities = [#plan.infinity<0 both>]} : memref<4xf32>
  return
}

// -----

func.func @read() {
  %0 = plan.buffer transient activations : memref<4xf32>
  %1 = plan.buffer transient activations : memref<4xf32>
  // expected-error @+1 {{'plan.copy' op expected infinities of an access that writes floats, got access 0}}
  plan.copy %0 to %1 {phase = #plan.phase<load>, infinities = [#plan.infinity<0 positive>]} : memref<4xf32>, memref<4xf32>
  return
}
