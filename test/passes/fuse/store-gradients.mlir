// RUN: accel-opt %s --split-input-file --accel-store-gradients | FileCheck %s

accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements of @w, @b>,
                                                  #accel.segment<"t" group decayed, 128 elements of @v>]}
accel.parameter @w : tensor<16xf32> trainable {segment = @"m.s.master", offset = 0 : i64}
accel.parameter @b : tensor<16xf32> trainable {segment = @"m.s.master", offset = 16 : i64}
accel.parameter @v : tensor<2x4x4xf32> trainable {segment = @"m.t.master", offset = 0 : i64}
accel.state @"m.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
// Kernels write all of it: it need not be cleared. To a parameter of the other one no kernel contributes.
// CHECK: accel.state @m.s.gradient
// CHECK-SAME: plan.stored
accel.state @"m.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @"m.t.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "t">, slot = #accel.slot<master>, group = #accel.group<decayed>}
// CHECK: accel.state @m.t.gradient
// CHECK-NOT: plan.stored
accel.state @"m.t.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "t">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @loss_sum accumulator : tensor<f64>
// CHECK: accel.state @accumulating accumulator : tensor<i1>

// What comes first is the order of the calls, not that of the accumulations. `w` is used twice: its second gradient is added
// always, by the kernel as it was. What is added to a state is none of this pass's business.
// CHECK-LABEL: func.func @step
// CHECK: %[[NO:.+]] = accel.constant dense<false> : tensor<i1>
// CHECK-NEXT: accel.write @accumulating, %[[NO]]
// CHECK-NEXT: accel.repeat {
// CHECK-NEXT: %[[FLAG:.+]] = accel.read @accumulating : tensor<i1>
// CHECK: %[[FIRST:.+]] = func.call @sum_first(%[[X:.+]], %[[FLAG]]) : (tensor<4x16xf32>, tensor<i1>) -> tensor<16xf32>
// CHECK-NEXT: %[[SECOND:.+]] = func.call @sum(%[[X]]) : (tensor<4x16xf32>) -> tensor<16xf32>
// CHECK-NEXT: accel.accumulate @w, %[[SECOND]]
// CHECK-NEXT: accel.accumulate @w, %[[FIRST]]
// CHECK-NEXT: %[[BOTH:.+]]:2 = func.call @both(%[[X]], %[[FLAG]]) : (tensor<4x16xf32>, tensor<i1>) -> (tensor<16xf32>, tensor<f64>)
// CHECK: accel.matmul
// CHECK: %[[YES:.+]] = accel.constant dense<true> : tensor<i1>
// CHECK-NEXT: accel.write @accumulating, %[[YES]]
// CHECK-NEXT: }
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<4x16xf32>
    %y = accel.input "y" : tensor<2x4x4xf32>
    %first = func.call @sum(%x) : (tensor<4x16xf32>) -> tensor<16xf32>
    %second = func.call @sum(%x) : (tensor<4x16xf32>) -> tensor<16xf32>
    accel.accumulate @w, %second : tensor<16xf32>
    accel.accumulate @w, %first : tensor<16xf32>
    %both:2 = func.call @both(%x) : (tensor<4x16xf32>) -> (tensor<16xf32>, tensor<f64>)
    accel.accumulate @b, %both#0 : tensor<16xf32>
    accel.accumulate @loss_sum, %both#1 : tensor<f64>
    %g = accel.matmul %y, %y : tensor<2x4x4xf32>, tensor<2x4x4xf32> -> tensor<2x4x4xf32>
    accel.accumulate @v, %g : tensor<2x4x4xf32>
  }
  return
}
// CHECK: func.func private @sum(%{{.*}}: tensor<4x16xf32>) -> (tensor<16xf32> {plan.accumulate})
// CHECK: func.func private @sum_first(%{{.*}}: tensor<4x16xf32>, %{{.*}}: tensor<i1>) -> (tensor<16xf32> {plan.accumulate = 1 : i64})
func.func private @sum(%x: tensor<4x16xf32>) -> (tensor<16xf32> {plan.accumulate}) attributes {plan.kernel = {columns = 16 : i64, elements = 64 : i64, kind = "columns", rows = 4 : i64}} {
  %s = accel.reduce_sum %x [0] : tensor<4x16xf32> -> tensor<16xf32>
  return %s : tensor<16xf32>
}
// CHECK: func.func private @both(%{{.*}}: tensor<4x16xf32>, %{{.*}}: tensor<i1>) -> (tensor<16xf32> {plan.accumulate = 1 : i64}, tensor<f64> {plan.accumulate})
func.func private @both(%x: tensor<4x16xf32>) -> (tensor<16xf32> {plan.accumulate}, tensor<f64> {plan.accumulate}) attributes {plan.kernel = {columns = 16 : i64, elements = 64 : i64, kind = "columns", rows = 4 : i64}} {
  %s = accel.reduce_sum %x [0] : tensor<4x16xf32> -> tensor<16xf32>
  %t = accel.constant dense<1.0> : tensor<f64>
  return %s, %t : tensor<16xf32>, tensor<f64>
}

// -----

accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements of @w>]}
accel.parameter @w : tensor<16xf32> trainable {segment = @"m.s.master", offset = 0 : i64}
accel.state @"m.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"m.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, dist.held = #dist.held<part>}

// Of a gradient held in part, the whole is a microbatch's own, and cleared for each. AssignBuffers needs the state.
// CHECK: accel.state @m.s.gradient
// CHECK-NOT: plan.stored
// CHECK: accel.state @accumulating
// CHECK-LABEL: func.func @step
// CHECK: accel.write @accumulating
// CHECK: func.call @sum(%{{.*}}) : (tensor<4x16xf32>) -> tensor<16xf32>
// CHECK: accel.write @accumulating
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<4x16xf32>
    %g = func.call @sum(%x) : (tensor<4x16xf32>) -> tensor<16xf32>
    accel.accumulate @w, %g : tensor<16xf32>
    dist.reduce_scatter [@"m.s.gradient"] over ["fsdp"]
  }
  return
}
// CHECK: func.func private @sum(%{{.*}}: tensor<4x16xf32>) -> (tensor<16xf32> {plan.accumulate})
func.func private @sum(%x: tensor<4x16xf32>) -> (tensor<16xf32> {plan.accumulate}) attributes {plan.kernel = {columns = 16 : i64, elements = 64 : i64, kind = "columns", rows = 4 : i64}} {
  %s = accel.reduce_sum %x [0] : tensor<4x16xf32> -> tensor<16xf32>
  return %s : tensor<16xf32>
}

// -----

// A result that somebody else reads is not produced in the gradient's place.
accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements of @w>]}
accel.parameter @w : tensor<16xf32> trainable {segment = @"m.s.master", offset = 0 : i64}
accel.state @"m.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
// CHECK: accel.state @m.s.gradient
// CHECK-NOT: plan.stored
accel.state @"m.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@m "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
// CHECK-NOT: accumulating
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %g = accel.input "g" : tensor<16xf32>
    accel.accumulate @w, %g : tensor<16xf32>
  }
  return
}
