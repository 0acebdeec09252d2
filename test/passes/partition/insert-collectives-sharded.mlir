// What is exchanged follows from what ranks hold; the mode is written nowhere else.
// RUN: accel-opt %s --accel-insert-collectives --split-input-file | FileCheck %s
// It is what the verifier wants.
// RUN: accel-opt %s --accel-insert-collectives --accel-verify-partition --split-input-file

// zero=1: gradients behind the loop, each rank its part; parameters behind the update; nothing of the frozen segment.
module {
  accel.state @loss_sum accumulator : tensor<f64>
  accel.state @target_count accumulator : tensor<f64>
  accel.state @step_count counter : tensor<f64>
  accel.state @square_sum partial : tensor<f64>
  accel.state @"a.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.state @"a.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.state @"a.decayed.first_moment" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.state @"b.decayed.first_moment" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"b.frozen.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}
  accel.parameter @w : tensor<16x8xf32> trainable {segment = @"a.decayed.master", offset = 0 : i64}
  accel.parameter @v : tensor<16x8xf32> trainable {segment = @"b.decayed.master", offset = 0 : i64}
  accel.parameter @f : tensor<16x8xf32> {segment = @"b.frozen.master", offset = 0 : i64}
  // CHECK-LABEL: func.func @step
  // CHECK: accel.repeat
  // CHECK-NEXT: accel.read @w
  // CHECK-NEXT: accel.accumulate @w
  // CHECK-NEXT: accel.read @f
  // CHECK-NEXT: accel.accumulate @v
  // CHECK-NEXT: accel.accumulate @loss_sum
  // CHECK-NEXT: accel.accumulate @target_count
  // CHECK-NEXT: }
  // CHECK-NEXT: dist.all_reduce [@loss_sum, @target_count] over ["replica", "fsdp"]
  // CHECK-NEXT: dist.reduce_scatter [@a.decayed.gradient, @b.decayed.gradient] over ["fsdp"]
  // CHECK-NEXT: accel.read @loss_sum
  // CHECK-NEXT: accel.write @square_sum
  // CHECK-NEXT: dist.all_reduce [@square_sum] over ["replica", "fsdp"]
  // CHECK-NEXT: accel.read @square_sum
  // CHECK-NEXT: accel.write @step_count
  // CHECK-NEXT: accel.read @a.decayed.master
  // CHECK-NEXT: accel.write @a.decayed.master
  // CHECK-NEXT: accel.write @b.decayed.master
  // CHECK-NEXT: dist.all_gather [@a.decayed.master, @b.decayed.master] over ["fsdp"]
  // CHECK-NEXT: return
  func.func @step() attributes {accel.role = #accel.role<step>} {
    %x = accel.constant dense<1.0> : tensor<f64>
    accel.repeat {
      %w = accel.read @w : tensor<16x8xf32>
      accel.accumulate @w, %w : tensor<16x8xf32>
      %f = accel.read @f : tensor<16x8xf32>
      accel.accumulate @v, %f : tensor<16x8xf32>
      accel.accumulate @loss_sum, %x : tensor<f64>
      accel.accumulate @target_count, %x : tensor<f64>
    }
    %loss = accel.read @loss_sum : tensor<f64>
    accel.write @square_sum, %loss : tensor<f64>
    %sum = accel.read @square_sum : tensor<f64>
    accel.write @step_count, %sum : tensor<f64>
    %p = accel.read @"a.decayed.master" : tensor<128xf32>
    accel.write @"a.decayed.master", %p : tensor<128xf32>
    accel.write @"b.decayed.master", %p : tensor<128xf32>
    return
  }
}

// -----

// zero=2: gradients of every microbatch.
module {
  accel.state @loss_sum accumulator : tensor<f64>
  accel.state @target_count accumulator : tensor<f64>
  accel.state @step_count counter : tensor<f64>
  accel.state @square_sum partial : tensor<f64>
  accel.state @"a.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.state @"a.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"a.decayed.first_moment" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"b.decayed.first_moment" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"b.frozen.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}
  accel.parameter @w : tensor<16x8xf32> trainable {segment = @"a.decayed.master", offset = 0 : i64}
  accel.parameter @v : tensor<16x8xf32> trainable {segment = @"b.decayed.master", offset = 0 : i64}
  accel.parameter @f : tensor<16x8xf32> {segment = @"b.frozen.master", offset = 0 : i64}
  // CHECK-LABEL: func.func @step
  // CHECK: accel.repeat
  // CHECK-NEXT: accel.read @w
  // CHECK-NEXT: accel.accumulate @w
  // CHECK-NEXT: accel.read @f
  // CHECK-NEXT: accel.accumulate @v
  // CHECK-NEXT: accel.accumulate @loss_sum
  // CHECK-NEXT: accel.accumulate @target_count
  // CHECK-NEXT: dist.reduce_scatter [@a.decayed.gradient, @b.decayed.gradient] over ["fsdp"]
  // CHECK-NEXT: }
  // CHECK-NEXT: dist.all_reduce [@loss_sum, @target_count] over ["replica", "fsdp"]
  // CHECK-NEXT: accel.read @loss_sum
  // CHECK-NEXT: accel.write @square_sum
  // CHECK-NEXT: dist.all_reduce [@square_sum] over ["replica", "fsdp"]
  // CHECK-NEXT: accel.read @square_sum
  // CHECK-NEXT: accel.write @step_count
  // CHECK-NEXT: accel.read @a.decayed.master
  // CHECK-NEXT: accel.write @a.decayed.master
  // CHECK-NEXT: accel.write @b.decayed.master
  // CHECK-NEXT: dist.all_gather [@a.decayed.master, @b.decayed.master] over ["fsdp"]
  // CHECK-NEXT: return
  func.func @step() attributes {accel.role = #accel.role<step>} {
    %x = accel.constant dense<1.0> : tensor<f64>
    accel.repeat {
      %w = accel.read @w : tensor<16x8xf32>
      accel.accumulate @w, %w : tensor<16x8xf32>
      %f = accel.read @f : tensor<16x8xf32>
      accel.accumulate @v, %f : tensor<16x8xf32>
      accel.accumulate @loss_sum, %x : tensor<f64>
      accel.accumulate @target_count, %x : tensor<f64>
    }
    %loss = accel.read @loss_sum : tensor<f64>
    accel.write @square_sum, %loss : tensor<f64>
    %sum = accel.read @square_sum : tensor<f64>
    accel.write @step_count, %sum : tensor<f64>
    %p = accel.read @"a.decayed.master" : tensor<128xf32>
    accel.write @"a.decayed.master", %p : tensor<128xf32>
    accel.write @"b.decayed.master", %p : tensor<128xf32>
    return
  }
}

// -----

// fsdp: parameters in every microbatch, the frozen ones too, and none behind the update.
module {
  accel.state @loss_sum accumulator : tensor<f64>
  accel.state @target_count accumulator : tensor<f64>
  accel.state @step_count counter : tensor<f64>
  accel.state @square_sum partial : tensor<f64>
  accel.state @"a.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"a.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"a.decayed.first_moment" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"b.decayed.first_moment" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"b.frozen.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>, dist.held = #dist.held<part>}
  accel.parameter @w : tensor<16x8xf32> trainable {segment = @"a.decayed.master", offset = 0 : i64}
  accel.parameter @v : tensor<16x8xf32> trainable {segment = @"b.decayed.master", offset = 0 : i64}
  accel.parameter @f : tensor<16x8xf32> {segment = @"b.frozen.master", offset = 0 : i64}
  // CHECK-LABEL: func.func @step
  // CHECK: accel.repeat
  // CHECK-NEXT: dist.all_gather [@a.decayed.master, @b.decayed.master, @b.frozen.master] over ["fsdp"]
  // CHECK-NEXT: accel.read @w
  // CHECK-NEXT: accel.accumulate @w
  // CHECK-NEXT: accel.read @f
  // CHECK-NEXT: accel.accumulate @v
  // CHECK-NEXT: accel.accumulate @loss_sum
  // CHECK-NEXT: accel.accumulate @target_count
  // CHECK-NEXT: dist.reduce_scatter [@a.decayed.gradient, @b.decayed.gradient] over ["fsdp"]
  // CHECK-NEXT: }
  // CHECK-NEXT: dist.all_reduce [@loss_sum, @target_count] over ["replica", "fsdp"]
  // CHECK-NEXT: accel.read @loss_sum
  // CHECK-NEXT: accel.write @square_sum
  // CHECK-NEXT: dist.all_reduce [@square_sum] over ["replica", "fsdp"]
  // CHECK-NEXT: accel.read @square_sum
  // CHECK-NEXT: accel.write @step_count
  // CHECK-NEXT: accel.read @a.decayed.master
  // CHECK-NEXT: accel.write @a.decayed.master
  // CHECK-NEXT: accel.write @b.decayed.master
  // CHECK-NEXT: return
  func.func @step() attributes {accel.role = #accel.role<step>} {
    %x = accel.constant dense<1.0> : tensor<f64>
    accel.repeat {
      %w = accel.read @w : tensor<16x8xf32>
      accel.accumulate @w, %w : tensor<16x8xf32>
      %f = accel.read @f : tensor<16x8xf32>
      accel.accumulate @v, %f : tensor<16x8xf32>
      accel.accumulate @loss_sum, %x : tensor<f64>
      accel.accumulate @target_count, %x : tensor<f64>
    }
    %loss = accel.read @loss_sum : tensor<f64>
    accel.write @square_sum, %loss : tensor<f64>
    %sum = accel.read @square_sum : tensor<f64>
    accel.write @step_count, %sum : tensor<f64>
    %p = accel.read @"a.decayed.master" : tensor<128xf32>
    accel.write @"a.decayed.master", %p : tensor<128xf32>
    accel.write @"b.decayed.master", %p : tensor<128xf32>
    return
  }
}

// -----

// Every function exchanges what it uses: one that evaluates gathers parameters and sums losses. Initialization exchanges nothing.
module {
  accel.state @loss_sum accumulator : tensor<f64>
  accel.state @target_count accumulator : tensor<f64>
  accel.state @"a.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.state @"a.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
  accel.parameter @w : tensor<16x8xf32> trainable {segment = @"a.decayed.master", offset = 0 : i64}
  // CHECK-LABEL: func.func @init
  // CHECK-NOT: dist.
  // CHECK: return
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    %x = accel.constant dense<0.0> : tensor<f64>
    accel.write @loss_sum, %x : tensor<f64>
    return
  }
  // CHECK-LABEL: func.func @measure
  // CHECK: accel.repeat
  // CHECK-NEXT: dist.all_gather [@a.decayed.master] over ["fsdp"]
  // CHECK-NEXT: accel.read @w
  // CHECK-NEXT: accel.accumulate @loss_sum
  // CHECK-NEXT: }
  // CHECK-NEXT: dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  // CHECK-NEXT: return
  func.func @measure() attributes {accel.role = #accel.role<evaluate>} {
    %x = accel.constant dense<1.0> : tensor<f64>
    accel.repeat {
      %w = accel.read @w : tensor<16x8xf32>
      accel.accumulate @loss_sum, %x : tensor<f64>
    }
    return
  }
}

// -----

// What ranks hold whole is complete since the last step: one that evaluates does not gather it.
module {
  accel.state @loss_sum accumulator : tensor<f64>
  accel.state @"a.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<whole>}
  accel.parameter @w : tensor<16x8xf32> trainable {segment = @"a.decayed.master", offset = 0 : i64}
  // CHECK-LABEL: func.func @measure_whole
  // CHECK: accel.repeat
  // CHECK-NEXT: accel.read @w
  // CHECK-NEXT: accel.accumulate @loss_sum
  // CHECK-NEXT: }
  // CHECK-NEXT: dist.all_reduce [@loss_sum] over ["replica", "fsdp"]
  // CHECK-NEXT: return
  func.func @measure_whole() attributes {accel.role = #accel.role<evaluate>} {
    %x = accel.constant dense<1.0> : tensor<f64>
    accel.repeat {
      %w = accel.read @w : tensor<16x8xf32>
      accel.accumulate @loss_sum, %x : tensor<f64>
    }
    return
  }
}
