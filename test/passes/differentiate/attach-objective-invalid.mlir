// RUN: split-file %s %t
// RUN: accel-opt %t/auto.mlir --accel-attach-objective --split-input-file --verify-diagnostics
// RUN: accel-opt %t/output.mlir --accel-attach-objective=objective=output:mean --split-input-file --verify-diagnostics
// RUN: accel-opt %t/causal.mlir --accel-attach-objective=objective=causal-lm --verify-diagnostics
// RUN: accel-opt %t/weight.mlir --accel-attach-objective=loss-weight=tokens --verify-diagnostics
// RUN: accel-opt %t/unknown.mlir --accel-attach-objective=objective=perplexity --verify-diagnostics

//--- auto.mlir
// No output fits: all are listed.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{--objective=auto: expected float logits (batch, positions, vocabulary) beside an integer input (batch, positions), or float logits (batch, classes), got 'image' 'tensor<2x4x3xf32>', 'ids' 'tensor<2x3xi64>', or a number named 'loss'; choose --objective=mse or --objective=output:NAME}}
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

module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{--objective=output:mean: expected float values with the batch as first dimension (2), or one float number, got 'tensor<3xf32>'; export a loss per sample, or their mean}}
  func.func @forward(%x: tensor<3xf32> {accel.name = "x"}) -> (tensor<3xf32> {accel.name = "mean"}) {
    return %x : tensor<3xf32>
  }
}

// -----

// A number that is no sum: microbatches cannot be put together, nor padding be left out.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{output 'mean': expected a loss that is a sum over targets, divided by their count or by a number, but it is neither a sum of losses nor their mean; --loss-weight=samples trains its mean over the microbatches, which then have to be whole: --global-batch a multiple of microbatch x ranks}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %m = accel.reduce_max %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    return %m : tensor<f32>
  }
}

// -----

module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but its divisor is no multiple of the 2 samples}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %three = accel.constant dense<3.0> : tensor<f32>
    %m = accel.div %s, %three : tensor<f32>
    return %m : tensor<f32>
  }
}

// -----

module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but its divisor is neither a number nor a count of targets}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %d = accel.reduce_max %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %m = accel.div %s, %d : tensor<f32>
    return %m : tensor<f32>
  }
}

// -----

// A mean of a mask grows with it, and not with the samples, as the sum does.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but its divisor is a mean, and what it divides is none}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %d = accel.div %s, %six : tensor<f32>
    %m = accel.div %s, %d : tensor<f32>
    return %m : tensor<f32>
  }
}

// -----

// How many elements a step has, of which one may count, is not known: only a bound that is next to nothing stays.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but its divisor is a count with a lower bound of more than 1, or with a number added}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %mean = accel.div %s, %six : tensor<f32>
    %bound = accel.constant dense<1.0e-4> : tensor<f32>
    %d = accel.max %mean, %bound : tensor<f32>
    %m = accel.div %mean, %d : tensor<f32>
    return %m : tensor<f32>
  }
}

// -----

// Twice the count, of two samples: that may be how many there are.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but its divisor has a count and a number that may be one for each sample of the microbatch}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %two = accel.constant dense<2.0> : tensor<f32>
    %d = accel.mul %s, %two : tensor<f32>
    %m = accel.div %s, %d : tensor<f32>
    return %m : tensor<f32>
  }
}

// -----

module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but it divides a mean by a count of targets}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}, %y: tensor<2xf32> {accel.name = "y"}) -> (tensor<f32> {accel.name = "mean"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %mean = accel.div %s, %six : tensor<f32>
    %c = accel.reduce_sum %y [0] : tensor<2xf32> -> tensor<f32>
    %m = accel.div %mean, %c : tensor<f32>
    return %m : tensor<f32>
  }
}

// -----

// The length of a stack of two is no number of samples: it holds a mean beside a mere sum.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but it adds means and mere sums}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %mean = accel.div %s, %six : tensor<f32>
    %r0 = accel.reshape %s : tensor<f32> -> tensor<1xf32>
    %r1 = accel.reshape %mean : tensor<f32> -> tensor<1xf32>
    %all = accel.concat %r0, %r1 axis 0 : tensor<1xf32>, tensor<1xf32> -> tensor<2xf32>
    %sum = accel.reduce_sum %all [0] : tensor<2xf32> -> tensor<f32>
    %two = accel.constant dense<2.0> : tensor<f32>
    %m = accel.div %sum, %two : tensor<f32>
    return %m : tensor<f32>
  }
}

// -----

// What becomes an integer after it was summed has been rounded, so that parts of a step do not add up to it.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but its divisor is neither a number nor a count of targets}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %i = accel.cast %s : tensor<f32> -> tensor<i64>
    %d = accel.cast %i : tensor<i64> -> tensor<f32>
    %m = accel.div %s, %d : tensor<f32>
    return %m : tensor<f32>
  }
}

// -----

// The divisor would need a gradient.
module attributes {accel.batch = 2 : i64} {
  accel.parameter @w : tensor<2x3xf32> trainable
  // expected-error@below {{but its divisor depends on parameters}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %w = accel.read @w : tensor<2x3xf32>
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %xw = accel.mul %x, %w : tensor<2x3xf32>
    %d = accel.reduce_sum %xw [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %m = accel.div %s, %d : tensor<f32>
    return %m : tensor<f32>
  }
}

// -----

// Every element of a product of samples with samples belongs to two of them.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but what it sums is not known to belong to one sample each}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %p = accel.matmul %x, %x {transpose_rhs} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x2xf32>
    %s = accel.reduce_sum %p [0, 1] : tensor<2x2xf32> -> tensor<f32>
    return %s : tensor<f32>
  }
}

// -----

// What sums over the whole batch is no mean: how much it counts beside one depends on the number of samples.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but it adds means and mere sums, whose shares depend on how many samples there are}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}, %y: tensor<2x3xf32> {accel.name = "y"}) -> (tensor<f32> {accel.name = "mean"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %mean = accel.div %s, %six : tensor<f32>
    %sum = accel.reduce_sum %y [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %both = accel.add %mean, %sum : tensor<f32>
    return %both : tensor<f32>
  }
}

// -----

// A product of means is none.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{but it multiplies two numbers that both depend on samples}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "mean"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %square = accel.mul %s, %s : tensor<f32>
    return %square : tensor<f32>
  }
}

// -----

// Samples elsewhere than in front, in an output whose first dimension is as long as the batch is large by chance.
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{output 'mean': expected the samples along its first dimension, got them elsewhere; transpose it in the model}}
  func.func @forward(%x: tensor<2x2xf32> {accel.name = "x"}) -> (tensor<2x2xf32> {accel.name = "mean"}) {
    %t = accel.transpose %x [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
    return %t : tensor<2x2xf32>
  }
}

//--- causal.mlir
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{--objective=causal-lm: expected float logits (batch, positions, vocabulary) beside an integer input (batch, positions), got 'y' 'tensor<2x3xf32>'}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<2x3xf32> {accel.name = "y"}) {
    return %x : tensor<2x3xf32>
  }
}

//--- weight.mlir
module attributes {accel.batch = 2 : i64} {
  // expected-error@below {{--loss-weight: expected targets or samples, got 'tokens'}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<2x3xf32> {accel.name = "logits"}) {
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
