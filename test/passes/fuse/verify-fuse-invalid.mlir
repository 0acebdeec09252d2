// RUN: accel-opt %s --accel-assign-geometry --accel-verify-fuse --split-input-file --verify-diagnostics

func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer transient activations : memref<4xf32>
  // expected-error@below {{expected a kernel named 'missing'}}
  plan.launch @missing(%0) [write] : memref<4xf32>
  return
}

// -----

func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  return %x : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer transient activations : memref<4xf32>
  // expected-error@below {{expected 2 buffers for kernel 'k', got 1}}
  plan.launch @k(%0) [write] : memref<4xf32>
  return
}

// -----

func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  return %x : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer transient activations : memref<4xf32>
  %1 = plan.buffer io io "x" : memref<8xf32>
  // expected-error@below {{expected a buffer for 'tensor<4xf32>' as operand 0 of kernel 'k', got 'memref<8xf32>'}}
  plan.launch @k(%1, %0) [read, write] : memref<8xf32>, memref<4xf32>
  return
}

// -----

func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  return %x : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  // expected-note@below {{the buffer}}
  %0 = plan.buffer transient activations : memref<4xf32>
  %1 = plan.buffer transient activations : memref<4xf32>
  // expected-error@below {{reads a transient buffer that nothing has written}}
  plan.launch @k(%0, %1) [read, write] : memref<4xf32>, memref<4xf32>
  return
}

// -----

// A launch says what its kernel does with each buffer. An operand is read.
func.func private @k(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {plan.accumulate}) attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer io io "x" : memref<4xf32>
  %1 = plan.buffer transient activations : memref<4xf32>
  %2 = plan.buffer persistent scalars "s" : memref<4xf32>
  // expected-error@below {{expected access read of operand 0, which kernel 'k' reads, got write}}
  plan.launch @k(%0, %1, %2) [write, write, update] : memref<4xf32>, memref<4xf32>, memref<4xf32>
  return
}

// -----

// A result that is said to be read only.
func.func private @k(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {plan.accumulate}) attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer io io "x" : memref<4xf32>
  %1 = plan.buffer transient activations : memref<4xf32>
  %2 = plan.buffer persistent scalars "s" : memref<4xf32>
  // expected-error@below {{expected access write of operand 1, which kernel 'k' stores, got read}}
  plan.launch @k(%0, %1, %2) [read, read, update] : memref<4xf32>, memref<4xf32>, memref<4xf32>
  return
}

// -----

// A result that is stored over what is said to be kept.
func.func private @k(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {plan.accumulate}) attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer io io "x" : memref<4xf32>
  %1 = plan.buffer transient activations : memref<4xf32>
  %2 = plan.buffer persistent scalars "s" : memref<4xf32>
  // expected-error@below {{expected access write of operand 1, which kernel 'k' stores, got update}}
  plan.launch @k(%0, %1, %2) [read, update, update] : memref<4xf32>, memref<4xf32>, memref<4xf32>
  return
}

// -----

// A sum whose first terms are said not to matter.
func.func private @k(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {plan.accumulate}) attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer io io "x" : memref<4xf32>
  %1 = plan.buffer transient activations : memref<4xf32>
  %2 = plan.buffer persistent scalars "s" : memref<4xf32>
  // expected-error@below {{expected access update of operand 2, which kernel 'k' adds to, got write}}
  plan.launch @k(%0, %1, %2) [read, write, write] : memref<4xf32>, memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @step() attributes {accel.role = #accel.role<step>} {
  // expected-error@below {{expected no tensor outside kernels, got 'tensor<4xf32>'}}
  %0 = accel.input "x" : tensor<4xf32>
  return
}

// -----

// Nothing of the step before.
func.func @step() attributes {accel.role = #accel.role<step>} {
  // expected-note@below {{the buffer}}
  %g = plan.buffer persistent gradients "s.gradient" : memref<8xf32>
  %0 = plan.view %g at 0 : memref<8xf32> to memref<4xf32>
  %x = plan.buffer persistent parameters "s.master" : memref<8xf32>
  plan.fill %0 : memref<4xf32>
  // expected-error@below {{reads a gradient that nothing has written in this step}}
  plan.copy %g to %x : memref<8xf32>, memref<8xf32>
  return
}

// -----

// Nothing of the microbatch before.
func.func private @add(%x: tensor<4xf32>) -> (tensor<4xf32> {plan.accumulate}) attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" : memref<4xf32>
  // expected-note@below {{the buffer}}
  %g = plan.buffer transient gradients : memref<4xf32>
  plan.fill %g : memref<4xf32>
  plan.repeat {
    // expected-error@below {{reads a gradient that nothing has written in this step}}
    plan.launch @add(%x, %g) [read, update] : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func private @begin(%x: tensor<4xf32>, %a: tensor<i1>) -> (tensor<4xf32> {plan.accumulate = 1 : i64}) attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" : memref<4xf32>
  %a = plan.buffer persistent scalars "accumulating" : memref<i8>
  // expected-note@below {{the buffer}}
  %g = plan.buffer persistent gradients "s.gradient" : memref<8xf32>
  %0 = plan.view %g at 0 : memref<8xf32> to memref<4xf32>
  %1 = plan.view %g at 3 : memref<8xf32> to memref<4xf32>
  plan.fill %a : memref<i8>
  plan.repeat {
    plan.launch @begin(%x, %a, %0) [read, read, update] : memref<4xf32>, memref<i8>, memref<4xf32>
    // expected-error@below {{stores over a gradient that something was added to}}
    plan.launch @begin(%x, %a, %1) [read, read, update] : memref<4xf32>, memref<i8>, memref<4xf32>
  }
  return
}

// -----

func.func private @begin(%x: tensor<4xf32>, %a: tensor<i1>) -> (tensor<4xf32> {plan.accumulate = 1 : i64}) attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" : memref<4xf32>
  %a = plan.buffer persistent scalars "accumulating" : memref<i8>
  // expected-note@below {{the buffer}}
  %g = plan.buffer persistent gradients "s.gradient" : memref<4xf32>
  plan.fill %a : memref<i8>
  plan.repeat {
    plan.fill %a {is_true} : memref<i8>
    // expected-error@below {{stores a gradient where the flag may already be true}}
    plan.launch @begin(%x, %a, %g) [read, read, update] : memref<4xf32>, memref<i8>, memref<4xf32>
  }
  return
}

// -----

func.func private @store(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" : memref<4xf32>
  // expected-note@below {{the buffer}}
  %g = plan.buffer persistent gradients "s.gradient" : memref<4xf32>
  plan.repeat {
    // expected-error@below {{stores over the gradient of earlier microbatches}}
    plan.launch @store(%x, %g) [read, write] : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func private @begin(%x: tensor<4xf32>, %a: tensor<i1>) -> (tensor<4xf32> {plan.accumulate = 1 : i64}) attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" : memref<4xf32>
  %a = plan.buffer persistent scalars "accumulating" : memref<i8>
  %g = plan.buffer persistent gradients "s.gradient" : memref<4xf32>
  plan.fill %a : memref<i8>
  // expected-error@below {{stores gradients in every microbatch: the flag stays false}}
  plan.repeat {
    plan.launch @begin(%x, %a, %g) [read, read, update] : memref<4xf32>, memref<i8>, memref<4xf32>
  }
  return
}

// -----

func.func private @store(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<4xf32>
}
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %g = plan.buffer persistent gradients "s.gradient" : memref<8xf32>
  %0 = plan.view %g at 3 : memref<8xf32> to memref<5xf32>
  plan.fill %0 : memref<5xf32>
  return
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" : memref<4xf32>
  // expected-note@below {{the buffer}}
  %g = plan.buffer persistent gradients "s.gradient" : memref<8xf32>
  %0 = plan.view %g at 0 : memref<8xf32> to memref<4xf32>
  // expected-error@below {{writes what init has cleared once}}
  plan.launch @store(%x, %0) [read, write] : memref<4xf32>, memref<4xf32>
  return
}

// -----

// All tiles would run over what a rank does not have.
func.func private @k(%x: tensor<512xf32>) -> tensor<512xf32> attributes {plan.kernel = {columns = 512 : i64, elements = 512 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<512xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent parameters "s.master" : memref<512xf32>
  %1 = plan.buffer persistent optimizer "s.m" {shard = #plan.shard<512 granule 128 over "fsdp">} : memref<512xf32>
  // expected-error@below {{expected whole buffers for all tiles, got operand 1 cut by #plan.shard<512 granule 128 over "fsdp">}}
  plan.launch @k(%0, %1) [read, write] : memref<512xf32>, memref<512xf32>
  return
}

// -----

// Of what is written whole each rank would write another part.
func.func private @k(%x: tensor<512xf32>) -> tensor<512xf32> attributes {plan.kernel = {columns = 512 : i64, elements = 512 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<512xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent optimizer "s.m" {shard = #plan.shard<512 granule 128 over "fsdp">} : memref<512xf32>
  %1 = plan.buffer persistent parameters "s.master" : memref<512xf32>
  // expected-error@below {{expected operand 1 to be cut between the tiles of kernel 'k' as #plan.shard<512 granule 128 over "fsdp"> is, got a whole buffer}}
  plan.launch @k(%0, %1) [read, write] {shard = #plan.shard<512 granule 128 over "fsdp">} : memref<512xf32>, memref<512xf32>
  return
}

// -----

// A tile of this kernel reads elements that other ranks have.
func.func private @k(%x: tensor<128x4xf32>) -> tensor<512xf32> attributes {plan.kernel = {columns = 512 : i64, elements = 512 : i64, kind = "flat", rows = 1 : i64}} {
  %0 = accel.transpose %x [1, 0] : tensor<128x4xf32> -> tensor<4x128xf32>
  %1 = accel.reshape %0 : tensor<4x128xf32> -> tensor<512xf32>
  return %1 : tensor<512xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent optimizer "s.m" {shard = #plan.shard<512 granule 128 over "fsdp">} : memref<512xf32>
  %1 = plan.buffer persistent optimizer "s.v" {shard = #plan.shard<512 granule 128 over "fsdp">} : memref<512xf32>
  // expected-error@below {{expected operand 0 to be cut between the tiles of kernel 'k' as #plan.shard<512 granule 128 over "fsdp"> is, got #plan.shard<512 granule 128 over "fsdp">}}
  plan.launch @k(%0, %1) [read, write] {shard = #plan.shard<512 granule 128 over "fsdp">} : memref<512xf32>, memref<512xf32>
  return
}

// -----

// Every tile of four rows stores elements of all ranks in what is transposed.
func.func private @k(%x: tensor<12x32xf32>) -> (tensor<12x32xf8E5M2>, tensor<32x12xf8E5M2>) attributes {plan.kernel = {columns = 32 : i64, elements = 384 : i64, kind = "rows", rows = 12 : i64}} {
  %0 = accel.cast %x saturate : tensor<12x32xf32> -> tensor<12x32xf8E5M2>
  %1 = accel.transpose %0 [1, 0] stored : tensor<12x32xf8E5M2> -> tensor<32x12xf8E5M2>
  return %0, %1 : tensor<12x32xf8E5M2>, tensor<32x12xf8E5M2>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent parameters "s.master" : memref<12x32xf32>
  %1 = plan.buffer persistent optimizer "s.m" {shard = #plan.shard<384 granule 128 over "fsdp">} : memref<12x32xf8E5M2>
  %2 = plan.buffer persistent optimizer "s.v" {shard = #plan.shard<384 granule 128 over "fsdp">} : memref<32x12xf8E5M2>
  // expected-error@below {{expected operand 2 to be cut between the tiles of kernel 'k' as #plan.shard<384 granule 128 over "fsdp"> is, got #plan.shard<384 granule 128 over "fsdp">}}
  plan.launch @k(%0, %1, %2) [read, write, write] {shard = #plan.shard<384 granule 128 over "fsdp">} : memref<12x32xf32>, memref<12x32xf8E5M2>, memref<32x12xf8E5M2>
  return
}

// -----

func.func private @k(%x: tensor<512xf32>) -> tensor<512xf32> attributes {plan.kernel = {columns = 512 : i64, elements = 512 : i64, kind = "flat", rows = 1 : i64}} {
  return %x : tensor<512xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent optimizer "s.m" {shard = #plan.shard<512 granule 256 over "fsdp">} : memref<512xf32>
  %1 = plan.buffer persistent optimizer "s.v" {shard = #plan.shard<512 granule 128 over "fsdp">} : memref<512xf32>
  // expected-error@below {{expected operand 0 to be cut between the tiles of kernel 'k' as #plan.shard<512 granule 128 over "fsdp"> is, got #plan.shard<512 granule 256 over "fsdp">}}
  plan.launch @k(%0, %1) [read, write] {shard = #plan.shard<512 granule 128 over "fsdp">} : memref<512xf32>, memref<512xf32>
  return
}

// -----

// All of a slot of which ranks hold parts is there behind the collective that says so.
accel.state @"a.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  // expected-note@below {{the buffer}}
  %a = plan.buffer transient gathered "a.s.master" : memref<128xf32>
  %b = plan.buffer transient activations : memref<128xf32>
  plan.repeat {
    // expected-error@below {{reads a transient buffer that nothing has written}}
    plan.copy %a to %b : memref<128xf32>, memref<128xf32>
    dist.all_gather [@"a.s.master"] over ["fsdp"]
  }
  return
}

// -----

// What microbatches add to a gradient is lost if nothing sums it.
accel.state @"a.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  // expected-error@below {{expected an exchange of 'a.s.gradient' in the loop, got none}}
  %a = plan.buffer transient gradients "a.s.gradient" : memref<128xf32>
  plan.repeat {
  }
  return
}

// -----

accel.state @"a.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  plan.repeat {
    // expected-error@below {{expected a transient buffer for all of @a.s.gradient, got none}}
    dist.reduce_scatter [@"a.s.gradient"] over ["fsdp"]
  }
  return
}

// -----

// Every state has memory, also one that no function uses.
// expected-error@below {{expected a persistent buffer of the state in some function, got none}}
accel.state @rate hyperparameter : tensor<f64> {initial = 0.5 : f64}
func.func @step() attributes {accel.role = #accel.role<step>} {
  return
}

// -----

// expected-error@below {{expected a buffer of its elements, cut as `dist.held` says, got another one}}
accel.state @sum accumulator : tensor<4xf64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent scalars "sum" : memref<2xf64>
  return
}

// -----

// A rank holds all of it, and not a part.
// expected-error@below {{expected a buffer of its elements, cut as `dist.held` says, got another one}}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  return
}

// -----

// expected-error@below {{expected an instruction that writes the output, got none}}
accel.state @"output.y" output : tensor<4xf32> {accel.name = "y"}
func.func @infer() attributes {accel.role = #accel.role<infer>} {
  %0 = plan.buffer persistent io "output.y" : memref<4xf32>
  return
}

// -----

func.func private @k(%x: tensor<4xf32>) -> (tensor<4xf32> {plan.accumulate}, tensor<4xf32> {plan.accumulate}) attributes {
    plan.kernel = {kind = "flat", elements = 4 : i64, rows = 1 : i64, columns = 4 : i64}} {
  %y = accel.exp %x : tensor<4xf32>
  %z = accel.neg %x : tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer io io "x" : memref<4xf32>
  %1 = plan.buffer persistent scalars "g" : memref<8xf32>
  %2 = plan.view %1 at 0 : memref<8xf32> to memref<4xf32>
  %3 = plan.view %1 at 2 : memref<8xf32> to memref<4xf32>
  // expected-error@below {{expected results of kernel 'k' that lie apart, got results 0 and 1 over each other}}
  plan.launch @k(%0, %2, %3) [read, update, update] : memref<4xf32>, memref<4xf32>, memref<4xf32>
  return
}
