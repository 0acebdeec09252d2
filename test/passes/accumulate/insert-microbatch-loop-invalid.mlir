// RUN: accel-opt %s --accel-insert-microbatch-loop --split-input-file --verify-diagnostics

// expected-error@below {{expected a function @microbatch without results and attribute 'accel.gradient_exponent', got no function}}
module {
}

// -----

// expected-error@below {{expected a function @microbatch without results and attribute 'accel.gradient_exponent', got no attribute}}
module {
  func.func @microbatch() {
    return
  }
}
