// A value that is summed over ranks lies where its kernel has left it, if nobody else reads that; else it is copied first.
// RUN: accel-opt %s --accel-assign-buffers --accel-assign-geometry --accel-verify-fuse | FileCheck %s

func.func private @neg_0(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {columns = 64 : i64, elements = 64 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.neg %x : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
func.func private @add_0(%a: tensor<4x16xf32>, %b: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {plan.kernel = {columns = 64 : i64, elements = 64 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.add %a, %b : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @step
// CHECK-DAG: %[[X:.+]] = plan.buffer io io "x"
// CHECK-DAG: %[[C:.+]] = plan.buffer constant constants
// CHECK: plan.repeat
// The sum is read, and not what was summed: in place.
// CHECK: plan.launch @neg_0(%[[X]], %[[A:.+]]) [read, write]
// CHECK-NEXT: plan.all_reduce %[[A]] over ["replica", "fsdp"] : memref<4x16xf32>
// CHECK-NEXT: plan.launch @neg_0(%[[A]], %[[B:.+]]) [read, write]
// Both are read.
// CHECK-NEXT: plan.copy %[[B]] to %[[SUM:.+]] :
// CHECK-NEXT: plan.all_reduce %[[SUM]] over ["replica", "fsdp"]
// CHECK-NEXT: plan.launch @add_0(%[[B]], %[[SUM]], %[[LAST:.+]]) [read, read, write]
// A constant, and what the next microbatch's data lies in, are no rank's to change.
// CHECK: plan.copy %[[C]] to %[[OF_CONSTANT:.+]] :
// CHECK-NEXT: plan.all_reduce %[[OF_CONSTANT]]
// CHECK: plan.copy %[[X]] to %[[OF_INPUT:.+]] :
// CHECK-NEXT: plan.all_reduce %[[OF_INPUT]]
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<4x16xf32>
    %a = func.call @neg_0(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %all = dist.all_reduce_value %a over ["replica", "fsdp"] : tensor<4x16xf32>
    %b = func.call @neg_0(%all) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %sum = dist.all_reduce_value %b over ["replica", "fsdp"] : tensor<4x16xf32>
    %last = func.call @add_0(%b, %sum) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %c = accel.constant dense<2.0> : tensor<4x16xf32>
    %of_constant = dist.all_reduce_value %c over ["replica", "fsdp"] : tensor<4x16xf32>
    %of_input = dist.all_reduce_value %x over ["replica", "fsdp"] : tensor<4x16xf32>
    %d = func.call @add_0(%of_constant, %of_input) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %e = func.call @add_0(%d, %last) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  }
  return
}
