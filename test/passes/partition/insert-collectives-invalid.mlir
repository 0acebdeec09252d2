// RUN: accel-opt %s --accel-insert-collectives --split-input-file --verify-diagnostics

// expected-error@below {{expected a function of role step, got none}}
module {
}

// -----

// expected-error@below {{expected one loop over microbatches in @step, got 0}}
func.func @step() attributes {accel.role = #accel.role<step>} {
  return
}
