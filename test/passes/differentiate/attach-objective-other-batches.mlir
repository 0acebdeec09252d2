// RUN: split-file %s %t
// RUN: accel-opt %t/mean.mlir --accel-attach-objective | FileCheck %t/mean.mlir
// RUN: accel-opt %t/sum.mlir --accel-attach-objective 2>&1 | FileCheck %t/sum.mlir
// RUN: accel-opt %t/zero.mlir --accel-attach-objective 2>&1 | FileCheck %t/zero.mlir
// RUN: accel-opt %t/invalid.mlir --accel-attach-objective --split-input-file --verify-diagnostics

//--- mean.mlir
// What six divides is a mean: three times as many samples are divided by three times as much. What two divides is the half of one: it is a factor.
// CHECK-NOT: other_batches
// CHECK: %[[SHARE:.+]] = accel.constant dense<0.0833333358> : tensor<2xf32>
// CHECK: %[[HALF:.+]] = accel.constant dense<5.000000e-01> : tensor<2xf32>
module attributes {accel.batch = 2 : i64, accel.other_batches = [{batch = 6 : i64, sums = array<f64: 0.013888888888888888, 0.083333333333333329>}]} {
  func.func @forward(%x: tensor<2x6xf32> {accel.name = "x"}, %y: tensor<2xf32> {accel.name = "y"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x6xf32> -> tensor<f32>
    %twelve = accel.constant dense<12.0> : tensor<f32>
    %a = accel.div %s, %twelve : tensor<f32>
    %two = accel.constant dense<2.0> : tensor<f32>
    %first = accel.div %a, %two : tensor<f32>
    %t = accel.reduce_sum %y [0] : tensor<2xf32> -> tensor<f32>
    %second = accel.div %t, %two : tensor<f32>
    %half = accel.constant dense<5.0e-1> : tensor<f32>
    %third = accel.mul %second, %half : tensor<f32>
    %loss = accel.add %first, %third : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- sum.mlir
// Numbers that stay are factors of a mere sum, though the microbatch divides them.
// CHECK: remark: output 'loss' is a sum without a divisor that grows with the samples
// CHECK: accel.constant dense<2.500000e-01> : tensor<2x3xf32>
module attributes {accel.batch = 2 : i64, accel.other_batches = [{batch = 6 : i64, sums = array<f64: 0.25>}]} {
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %four = accel.constant dense<4.0> : tensor<f32>
    %loss = accel.div %s, %four : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- zero.mlir
// A term that is switched off has no kind of its own; and numbers beside infinities and none are compared all the same.
// CHECK-NOT: mere sum
// CHECK: accel.constant dense<0.000000e+00>
// CHECK-NOT: remark
module attributes {accel.batch = 2 : i64, accel.other_batches = [{batch = 6 : i64, sums = array<f64: 0.0, 0.16666666666666666>, within = array<f64: 0xFFF0000000000000>}]} {
  func.func @forward(%x: tensor<2xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.reduce_sum %x [0] : tensor<2xf32> -> tensor<f32>
    %zero = accel.constant dense<0.0> : tensor<f32>
    %off = accel.mul %s, %zero : tensor<f32>
    %none = accel.constant dense<0xFF800000> : tensor<2xf32>
    %kept = accel.max %x, %none : tensor<2xf32>
    %t = accel.reduce_sum %kept [0] : tensor<2xf32> -> tensor<f32>
    %two = accel.constant dense<2.0> : tensor<f32>
    %mean = accel.div %t, %two : tensor<f32>
    %loss = accel.add %off, %mean : tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- invalid.mlir
// Another number of terms.
module attributes {accel.batch = 2 : i64, accel.other_batches = [{batch = 6 : i64, sums = array<f64: 0.5, 0.5>}]} {
  // expected-error@below {{but it has other terms in a microbatch of 6 samples}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    return %s : tensor<f32>
  }
}

// -----

// A mean beside a sum.
module attributes {accel.batch = 2 : i64, accel.other_batches = [{batch = 6 : i64, sums = array<f64: 0.16666666666666666, 0.25>}]} {
  // expected-error@below {{but it adds means and mere sums, whose shares depend on how many samples there are}}
  func.func @forward(%x: tensor<2xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.reduce_sum %x [0] : tensor<2xf32> -> tensor<f32>
    %two = accel.constant dense<2.0> : tensor<f32>
    %four = accel.constant dense<4.0> : tensor<f32>
    %mean = accel.div %s, %two : tensor<f32>
    %square = accel.mul %x, %x : tensor<2xf32>
    %t = accel.reduce_sum %square [0] : tensor<2xf32> -> tensor<f32>
    %quarter = accel.div %t, %four : tensor<f32>
    %loss = accel.add %mean, %quarter : tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A count that is multiplied by the number of samples.
module attributes {accel.batch = 2 : i64, accel.other_batches = [{batch = 6 : i64, counted = array<f64: 0.16666666666666666>}]} {
  // expected-error@below {{but a number in it depends on how many samples a microbatch has, and not as the divisor of a mean does (those of 2 and 6 samples show it); let x.shape[0] divide a sum, once, and nothing else}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}, %m: tensor<2x3xi1> {accel.name = "m"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %mf = accel.cast %m : tensor<2x3xi1> -> tensor<2x3xf32>
    %c = accel.reduce_sum %mf [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %two = accel.constant dense<2.0> : tensor<f32>
    %double = accel.mul %c, %two : tensor<f32>
    %loss = accel.div %s, %double : tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// What only a second sample shows.
module attributes {accel.batch = 1 : i64, accel.other_batches = [{batch = 3 : i64, reason = "what it sums is not known to belong to one sample each"}]} {
  // expected-error@below {{but what it sums is not known to belong to one sample each, as a microbatch of 3 samples shows; --loss-weight=samples}}
  func.func @forward(%x: tensor<1x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %s = accel.reduce_sum %x [0, 1] : tensor<1x3xf32> -> tensor<f32>
    return %s : tensor<f32>
  }
}

// -----

// Numbers in front of the sum: a half is in both, the fifth in one alone.
module attributes {accel.batch = 2 : i64, accel.other_batches = [{batch = 6 : i64, sums = array<f64: 1.0>, within = array<f64: 0.5>}, {batch = 10 : i64, sums = array<f64: 1.0>, within = array<f64: 0.2, 0.5>}]} {
  // expected-error@below {{but a number in it depends on how many samples a microbatch has, and not as the divisor of a mean does (those of 10 and 6 samples show it); let x.shape[0] divide a sum, once, and nothing else}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %half = accel.constant dense<0.5> : tensor<2x3xf32>
    %y = accel.mul %x, %half : tensor<2x3xf32>
    %s = accel.reduce_sum %y [0, 1] : tensor<2x3xf32> -> tensor<f32>
    return %s : tensor<f32>
  }
}

// -----

// An infinity is near no number.
module attributes {accel.batch = 2 : i64, accel.other_batches = [{batch = 6 : i64, sums = array<f64: 1.0>, within = array<f64: 6.0, 0xFFF0000000000000>}, {batch = 10 : i64, sums = array<f64: 1.0>, within = array<f64: 10.0, 0xFFF0000000000000>}]} {
  // expected-error@below {{but a number in it depends on how many samples a microbatch has}}
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}) -> (tensor<f32> {accel.name = "loss"}) {
    %none = accel.constant dense<0xFF800000> : tensor<2x3xf32>
    %two = accel.constant dense<2.0> : tensor<2x3xf32>
    %share = accel.div %x, %two : tensor<2x3xf32>
    %kept = accel.max %share, %none : tensor<2x3xf32>
    %s = accel.reduce_sum %kept [0, 1] : tensor<2x3xf32> -> tensor<f32>
    return %s : tensor<f32>
  }
}
