// RUN: accel-opt %s --accel-assign-buffers --split-input-file --verify-diagnostics

// What a rank computes of its own elements is elements again, or rows of them.
accel.bucket @b {granule = 64 : i64, segments = [#accel.segment<"s" group decayed, 256 elements>]}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func private @total(%g: tensor<256xf32>) -> tensor<f32> attributes {plan.kernel = {columns = 256 : i64, elements = 256 : i64, kind = "rows", rows = 1 : i64}} {
  %sum = accel.reduce_sum %g [0] : tensor<256xf32> -> tensor<f32>
  return %sum : tensor<f32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %p = accel.read @"b.s.master" : tensor<256xf32>
  // expected-error@below {{'func.call' op expected results with one element for each, or for each row that divides the granule, of 256, got 'tensor<f32>'}}
  %sum = func.call @total(%p) : (tensor<256xf32>) -> tensor<f32>
  return
}

// -----

// Five rows are not rows of a 256th.
accel.bucket @b {granule = 64 : i64, segments = [#accel.segment<"s" group decayed, 256 elements>]}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
func.func private @rows(%g: tensor<256xf32>) -> tensor<5xf32> attributes {plan.kernel = {columns = 256 : i64, elements = 256 : i64, kind = "rows", rows = 1 : i64}} {
  %sum = accel.slice %g [0] strides [1] : tensor<256xf32> -> tensor<5xf32>
  return %sum : tensor<5xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %p = accel.read @"b.s.master" : tensor<256xf32>
  // expected-error@below {{'func.call' op expected results with one element for each, or for each row that divides the granule, of 256, got 'tensor<5xf32>'}}
  %sum = func.call @rows(%p) : (tensor<256xf32>) -> tensor<5xf32>
  return
}

// -----

// A kernel runs over the elements of one cut.
accel.bucket @b {granule = 64 : i64, segments = []}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.t.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "t">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func private @both(%g: tensor<256xf32>, %h: tensor<128xf32>) -> tensor<256xf32> attributes {plan.kernel = {columns = 256 : i64, elements = 256 : i64, kind = "flat", rows = 1 : i64}} {
  return %g : tensor<256xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %p = accel.read @"b.s.master" : tensor<256xf32>
  %q = accel.read @"b.t.master" : tensor<128xf32>
  // expected-error@below {{'func.call' op expected operands that are all cut by #plan.shard<256 granule 64 over "fsdp">, got one that is cut by #plan.shard<128 granule 64 over "fsdp">}}
  %r = func.call @both(%p, %q) : (tensor<256xf32>, tensor<128xf32>) -> tensor<256xf32>
  return
}

// -----

accel.bucket @b {granule = 64 : i64, segments = []}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.t.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "t">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func private @both(%g: tensor<256xf32>) -> tensor<128xf32> attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  %h = accel.slice %g [0] strides [2] : tensor<256xf32> -> tensor<128xf32>
  return %h : tensor<128xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %p = accel.read @"b.s.master" : tensor<256xf32>
  // expected-error@below {{'func.call' op expected results that are all cut by #plan.shard<256 granule 64 over "fsdp">, got one that is cut by #plan.shard<128 granule 64 over "fsdp">}}
  %r = func.call @both(%p) : (tensor<256xf32>) -> tensor<128xf32>
  accel.write @"b.t.master", %r : tensor<128xf32>
  return
}

// -----

accel.state @lr hyperparameter : tensor<f64> {initial = 0.001 : f64}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %half = accel.constant dense<0.5> : tensor<f64>
  // expected-error@below {{expected a kernel to compute what is written, got a constant}}
  accel.write @lr, %half : tensor<f64>
  return
}

// -----

// A transposed value lies in no buffer: kernels take such views themselves.
accel.state @x accumulator : tensor<4x8xf32>
func.func private @negate(%v: tensor<8x4xf32>) -> tensor<8x4xf32> attributes {plan.kernel = {columns = 32 : i64, elements = 32 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.neg %v : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = accel.read @x : tensor<4x8xf32>
  // expected-error@below {{expected a value that lies in one piece of memory}}
  %t = accel.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %y = func.call @negate(%t) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}
