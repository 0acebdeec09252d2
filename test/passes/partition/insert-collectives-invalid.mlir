// RUN: accel-opt %s --accel-insert-collectives --split-input-file --verify-diagnostics

// expected-error@below {{expected a function @step, got none}}
module {
}

// -----

// expected-error@below {{expected one loop over microbatches in @step, got 0}}
func.func @step() {
  return
}
