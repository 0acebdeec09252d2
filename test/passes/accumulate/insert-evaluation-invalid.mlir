// RUN: accel-opt %s --accel-insert-evaluation --split-input-file --verify-diagnostics

// expected-error@below {{expected a function of role step, got none}}
module {
  func.func @microbatch() {
    return
  }
}
