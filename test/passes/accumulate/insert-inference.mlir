// RUN: accel-opt %s --accel-insert-inference | FileCheck %s

// A parameter has the name of the function, and one that of an input's state. An output is an input, and one is empty.
// CHECK: accel.parameter @infer : tensor<4x4xf32>
// CHECK-NOT: trainable
// CHECK: accel.parameter @input.x : tensor<4xf32>
// CHECK-NOT: trainable
accel.parameter @infer : tensor<4x4xf32> trainable
accel.parameter @input.x : tensor<4xf32> trainable

// CHECK-DAG: accel.state @[[X:input.x_0]] input : tensor<2x4xf32> {accel.name = "x"}
// CHECK-DAG: accel.state @input.ids input : tensor<2xi64> {accel.name = "ids", accel.range = [0, 3]}
// CHECK-DAG: accel.state @output.y output : tensor<2x4xf32> {accel.name = "y"}
// CHECK-DAG: accel.state @output.same output : tensor<2xi64> {accel.name = "same"}
// CHECK-DAG: accel.state @output.none output : tensor<0x4xf32> {accel.name = "none"}
// CHECK-LABEL: func.func @infer_{{[0-9]+}}() attributes {accel.role = #accel.role<infer>}
// CHECK-NEXT: %[[IN:.+]] = accel.read @[[X]]
// CHECK-NEXT: %[[IDS:.+]] = accel.read @input.ids
// CHECK-NEXT: %[[W:.+]] = accel.read @infer
// CHECK-NEXT: %[[Y:.+]] = accel.matmul %[[IN]], %[[W]]
// CHECK-NEXT: accel.constant
// CHECK-NEXT: accel.write @output.y, %[[Y]]
// CHECK-NEXT: accel.write @output.same, %[[IDS]]
// CHECK-NEXT: return
// CHECK-NOT: @forward
func.func @forward(%x: tensor<2x4xf32> {accel.name = "x"}, %ids: tensor<2xi64> {accel.name = "ids", accel.range = [0, 3]})
    -> (tensor<2x4xf32> {accel.name = "y"}, tensor<2xi64> {accel.name = "same"}, tensor<0x4xf32> {accel.name = "none"}) {
  %w = accel.read @infer : tensor<4x4xf32>
  %y = accel.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %none = accel.constant dense<> : tensor<0x4xf32>
  return %y, %ids, %none : tensor<2x4xf32>, tensor<2xi64>, tensor<0x4xf32>
}
