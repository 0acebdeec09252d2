// RUN: accel-opt %s --accel-place-dropout --split-input-file --verify-diagnostics

// expected-error@below {{expected a function @forward and attribute 'accel.batch', got no function}}
module attributes {accel.batch = 2 : i64} {
}

// -----

// expected-error@below {{expected a function @forward and attribute 'accel.batch', got no attribute}}
module {
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) {
    return
  }
}
