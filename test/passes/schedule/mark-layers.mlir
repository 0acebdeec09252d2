// RUN: accel-opt %s --accel-mark-layers | FileCheck %s
// It is what the verifier wants.
// RUN: accel-opt %s --accel-mark-layers --accel-verify-schedule

accel.bucket @before {granule = 128 : i64, segments = []}
accel.bucket @block0 {granule = 128 : i64, layer = 0 : i64, segments = []}
accel.bucket @block1 {granule = 128 : i64, layer = 1 : i64, segments = []}
accel.state @before.s.master slot : tensor<128xf32> {segment = #accel.segment_ref<@before "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @block0.s.master slot : tensor<128xf32> {segment = #accel.segment_ref<@block0 "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @block0.s.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@block0 "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @block1.s.master slot : tensor<128xf32> {segment = #accel.segment_ref<@block1 "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @accumulating accumulator : tensor<i1>
accel.state @lr hyperparameter : tensor<f64>

// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %a = plan.buffer persistent parameters "before.s.master" : memref<128xf32>
  %b = plan.buffer persistent parameters "block0.s.master" : memref<128xf32>
  %g = plan.buffer persistent gradients "block0.s.gradient" : memref<128xf32>
  %c = plan.buffer persistent parameters "block1.s.master" : memref<128xf32>
  %flag = plan.buffer persistent scalars "accumulating" : memref<i8>
  %lr = plan.buffer persistent scalars "lr" : memref<f64>
  %x = plan.buffer transient activations : memref<128xf32>
  %y = plan.buffer transient activations : memref<128xf32>
  // Nothing goes on behind the loop or in front of it.
  // CHECK: plan.fill %{{[0-9]+}} : memref<128xf32>
  plan.fill %x : memref<128xf32>
  // CHECK: plan.fill {{.*}} {layer = 0 : i64}
  plan.fill %g : memref<128xf32>
  // CHECK: plan.repeat
  plan.repeat {
    // What is before the layers is none's work.
    // CHECK: plan.launch @embed(%{{.*}}) [read, write] : memref
    plan.launch @embed(%a, %x) [read, write] : memref<128xf32>, memref<128xf32>
    // CHECK: plan.launch @between(%{{.*}}) [read, write] : memref
    plan.launch @between(%x, %y) [read, write] : memref<128xf32>, memref<128xf32>
    // CHECK: plan.launch @first({{.*}} {layer = 0 : i64}
    plan.launch @first(%b, %y, %x) [read, read, write] : memref<128xf32>, memref<128xf32>, memref<128xf32>
    // It touches no state: it computes what the layer's next product reads.
    // CHECK: plan.launch @gelu({{.*}} {layer = 0 : i64}
    plan.launch @gelu(%x, %y) [read, write] : memref<128xf32>, memref<128xf32>
    // CHECK: plan.launch @second({{.*}} {layer = 1 : i64}
    plan.launch @second(%c, %y, %x) [read, read, write] : memref<128xf32>, memref<128xf32>, memref<128xf32>
    // The work of two layers is none's.
    // CHECK: plan.launch @both(%{{.*}}) [read, read, write] : memref
    plan.launch @both(%b, %c, %y) [read, read, write] : memref<128xf32>, memref<128xf32>, memref<128xf32>
    // Of a state that is no slot nothing follows beside a slot, and the end of a layer's work without one.
    // CHECK: plan.launch @gradient({{.*}} {layer = 0 : i64}
    plan.launch @gradient(%y, %flag, %g) [read, read, update] : memref<128xf32>, memref<i8>, memref<128xf32>
    // CHECK: plan.fill %{{[0-9]+}} : memref<i8>
    plan.fill %flag : memref<i8>
  }
  // CHECK: plan.launch @update({{.*}} {layer = 0 : i64}
  plan.launch @update(%g, %lr, %b) [read, read, update] : memref<128xf32>, memref<f64>, memref<128xf32>
  // CHECK: plan.launch @between(%{{.*}}) [read, write] : memref
  plan.launch @between(%x, %y) [read, write] : memref<128xf32>, memref<128xf32>
  return
}

func.func private @embed(%a0: tensor<128xf32>) -> tensor<128xf32> attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<128xf32>
  return %r0 : tensor<128xf32>
}
func.func private @between(%a0: tensor<128xf32>) -> tensor<128xf32> attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<128xf32>
  return %r0 : tensor<128xf32>
}
func.func private @first(%a0: tensor<128xf32>, %a1: tensor<128xf32>) -> tensor<128xf32> attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<128xf32>
  return %r0 : tensor<128xf32>
}
func.func private @gelu(%a0: tensor<128xf32>) -> tensor<128xf32> attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<128xf32>
  return %r0 : tensor<128xf32>
}
func.func private @second(%a0: tensor<128xf32>, %a1: tensor<128xf32>) -> tensor<128xf32> attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<128xf32>
  return %r0 : tensor<128xf32>
}
func.func private @both(%a0: tensor<128xf32>, %a1: tensor<128xf32>) -> tensor<128xf32> attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<128xf32>
  return %r0 : tensor<128xf32>
}
func.func private @gradient(%a0: tensor<128xf32>, %a1: tensor<i1>) -> (tensor<128xf32> {plan.accumulate}) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<128xf32>
  return %r0 : tensor<128xf32>
}
func.func private @update(%a0: tensor<128xf32>, %a1: tensor<f64>) -> (tensor<128xf32> {plan.accumulate}) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<128xf32>
  return %r0 : tensor<128xf32>
}
