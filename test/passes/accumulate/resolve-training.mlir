// RUN: accel-opt %s --accel-resolve-training | FileCheck %s

// A step takes what it has computed, an evaluation what runs along; what is not chosen is gone, and a question that nothing chooses by has its answer.
accel.parameter @running : tensor<4xf32> statistic
accel.state @loss_sum accumulator : tensor<f64>

// CHECK-LABEL: func.func @step()
// CHECK: %[[TRUE:.+]] = accel.constant dense<true> : tensor<i1>
// CHECK: %[[X:.+]] = accel.input "x" : tensor<4xf32>
// CHECK-NOT: accel.select
// CHECK: accel.accumulate @running, %[[X]]
// CHECK: accel.cast %[[TRUE]]
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %trains = accel.input "training" : tensor<i1>
    %x = accel.input "x" : tensor<4xf32>
    %running = accel.read @running : tensor<4xf32>
    %all = accel.broadcast %trains [] : tensor<i1> -> tensor<4xi1>
    %chosen = accel.select %all, %x, %running : tensor<4xi1>, tensor<4xf32>
    accel.accumulate @running, %chosen : tensor<4xf32>
    %number = accel.cast %trains : tensor<i1> -> tensor<f64>
    accel.accumulate @loss_sum, %number : tensor<f64>
  }
  return
}

// CHECK-LABEL: func.func @evaluate()
// CHECK-NOT: accel.input
// CHECK: %[[RUNNING:.+]] = accel.read @running
// CHECK-NOT: accel.select
// CHECK: accel.reduce_sum %[[RUNNING]]
func.func @evaluate() attributes {accel.role = #accel.role<evaluate>} {
  accel.repeat {
    %trains = accel.input "training" : tensor<i1>
    %x = accel.input "x" : tensor<4xf32>
    %running = accel.read @running : tensor<4xf32>
    %all = accel.broadcast %trains [] : tensor<i1> -> tensor<4xi1>
    %chosen = accel.select %all, %x, %running : tensor<4xi1>, tensor<4xf32>
    %sum = accel.reduce_sum %chosen [0] : tensor<4xf32> -> tensor<f32>
    %wide = accel.cast %sum : tensor<f32> -> tensor<f64>
    accel.accumulate @loss_sum, %wide : tensor<f64>
  }
  return
}
