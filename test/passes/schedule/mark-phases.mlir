// RUN: accel-opt %s --accel-mark-phases --split-input-file | FileCheck %s
// It is what the verifier wants.
// RUN: accel-opt %s --accel-assign-streams --accel-insert-events --accel-mark-phases --accel-verify-schedule --split-input-file

func.func private @loss(%x: tensor<4xf32>) -> (tensor<f64> {plan.accumulate}) attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "rows", rows = 1 : i64}} {
  %s = accel.reduce_sum %x [0] : tensor<4xf32> -> tensor<f32>
  %y = accel.cast %s : tensor<f32> -> tensor<f64>
  return %y : tensor<f64>
}
func.func private @gradient(%x: tensor<4xf32>) -> (tensor<4xf32> {plan.accumulate}) attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.neg %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @update(%g: tensor<4xf32>, %m: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.add %g, %m : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @init
// CHECK: plan.fill {{.*}}phase = #plan.phase<init>
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  plan.fill %m : memref<4xf32>
  return
}

// The kernel that sums the losses is the last of forward. The gradients are complete behind their sum over the ranks; the copy
// does not change one, and what is written behind the update's first instruction has been used.
// CHECK-LABEL: func.func @step
// CHECK: plan.fetch {{.*}}phase = #plan.phase<load>
// CHECK: plan.fill {{.*}}phase = #plan.phase<load>
// CHECK: plan.repeat {
// CHECK: plan.launch @loss({{.*}}phase = #plan.phase<forward>
// CHECK: plan.launch @gradient({{.*}}phase = #plan.phase<backward>
// CHECK: } {phase = #plan.phase<forward>}
// CHECK: plan.all_reduce {{.*}}{phase = #plan.phase<reduce>}
// CHECK: plan.copy {{.*}}gradients_complete, phase = #plan.phase<update>
// CHECK: plan.launch @update({{.*}}{phase = #plan.phase<update>}
// CHECK: plan.fill {{.*}}{phase = #plan.phase<update>}
// CHECK: plan.metric {{.*}}phase = #plan.phase<report>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" {copies = 2 : i64} : memref<4xf32>
  %loss = plan.buffer persistent scalars "loss_sum" : memref<f64>
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  %t = plan.buffer transient activations : memref<4xf32>
  plan.fetch ["x"] into %x ahead 0 : memref<4xf32>
  plan.fill %loss : memref<f64>
  plan.fill %g : memref<4xf32>
  plan.repeat {
    plan.launch @loss(%x, %loss) [read, update] : memref<4xf32>, memref<f64>
    plan.launch @gradient(%x, %g) [read, update] : memref<4xf32>, memref<4xf32>
  }
  plan.all_reduce %g over ["fsdp"] : memref<4xf32>
  plan.copy %g to %t : memref<4xf32>, memref<4xf32>
  plan.launch @update(%t, %m, %m) [read, read, write] : memref<4xf32>, memref<4xf32>, memref<4xf32>
  plan.fill %g : memref<4xf32>
  plan.metric "loss", %loss : memref<f64>
  return
}

// Behind its loop a function that evaluates reports.
// CHECK-LABEL: func.func @measure
// CHECK: plan.copy {{.*}}{phase = #plan.phase<report>}
func.func @measure() attributes {accel.role = #accel.role<evaluate>} {
  %a = plan.buffer persistent scalars "loss_sum" : memref<f64>
  %b = plan.buffer transient activations : memref<f64>
  plan.repeat {
  }
  plan.copy %a to %b : memref<f64>, memref<f64>
  return
}

// -----

// What the loop changes is complete behind its last iteration, which no instruction in it is.
func.func private @gradient(%x: tensor<4xf32>) -> (tensor<4xf32> {plan.accumulate}) attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.neg %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func @step
// CHECK-NOT: gradients_complete
// CHECK: } {phase = #plan.phase<forward>}
// CHECK: plan.fill {{.*}}gradients_complete
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer io io "x" : memref<4xf32>
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  %t = plan.buffer transient activations : memref<4xf32>
  plan.fill %g : memref<4xf32>
  plan.repeat {
    plan.launch @gradient(%x, %g) [read, update] : memref<4xf32>, memref<4xf32>
    plan.fill %t : memref<4xf32>
  }
  plan.fill %m : memref<4xf32>
  return
}
