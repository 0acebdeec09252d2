// RUN: split-file %s %t
// RUN: accel-opt %t/auto.mlir --accel-attach-objective --split-input-file --verify-diagnostics
// RUN: accel-opt %t/output.mlir --accel-attach-objective=objective=output:mean --split-input-file --verify-diagnostics
// RUN: accel-opt %t/causal.mlir --accel-attach-objective=objective=causal-lm --verify-diagnostics
// RUN: accel-opt %t/unknown.mlir --accel-attach-objective=objective=perplexity --verify-diagnostics

//--- auto.mlir
// No output fits: all are listed.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{--objective=auto: expected float logits (batch, positions, vocabulary) beside an integer input (batch, positions), or float logits (batch, classes), got 'image' 'tensor<2x4x3xf32>', 'ids' 'tensor<2x3xi64>'; choose --objective=mse or --objective=output:NAME}}
  func.func @forward(%x: tensor<2x4x3xf32> {accel.name = "x"}, %i: tensor<2x3xi64> {accel.name = "i"}) -> (tensor<2x4x3xf32> {accel.name = "image"}, tensor<2x3xi64> {accel.name = "ids"}) {
    %z = accel.constant dense<0> : tensor<2x3xi64>
    return %x, %z : tensor<2x4x3xf32>, tensor<2x3xi64>
  }
}

// -----

// Two outputs fit, and none is named logits.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{objective classification: expected one output of float logits (batch, classes) or one of them named 'logits', got 'a' 'tensor<2x3xf32>', 'b' 'tensor<2x3xf32>'}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<2x3xf32> {accel.name = "a"}, tensor<2x3xf32> {accel.name = "b"}) {
    return %x, %x : tensor<2x3xf32>, tensor<2x3xf32>
  }
}

// -----

// A model that computes its loss itself has an input of that name.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{expected a model without its loss, got an input named 'labels'}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "labels"}) -> (tensor<2x3xf32> {accel.name = "logits"}) {
    return %x : tensor<2x3xf32>
  }
}

// -----

// expected-error@below {{expected a function @forward and attribute 'accel.batch', got no function}}
module {
}

//--- output.mlir
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{--objective=output:mean: expected the name of an output, got one of none; outputs: 'y' 'tensor<2x3xf32>'}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<2x3xf32> {accel.name = "y"}) {
    return %x : tensor<2x3xf32>
  }
}

// -----

// The mean over a batch cannot be split into microbatches, nor leave padding out.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{--objective=output:mean: expected float values with the batch as first dimension (2), got 'tensor<f32>'; export a loss per sample instead of its mean}}
  func.func @forward(%x: tensor<f32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    return %x : tensor<f32>
  }
}

//--- causal.mlir
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{--objective=causal-lm: expected float logits (batch, positions, vocabulary) beside an integer input (batch, positions), got 'y' 'tensor<2x3xf32>'}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<2x3xf32> {accel.name = "y"}) {
    return %x : tensor<2x3xf32>
  }
}

//--- unknown.mlir
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{--objective: expected auto, causal-lm, classification, mse or output:NAME, got 'perplexity'}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<2x3xf32> {accel.name = "y"}) {
    return %x : tensor<2x3xf32>
  }
}
