// RUN: accel-opt %s --accel-outline-kernels --accel-assign-buffers | FileCheck %s

// A value lies with one symbol. Others that it is written to get copies of it.
// CHECK-LABEL: func.func @infer
// CHECK-DAG: %[[X:.+]] = plan.buffer persistent io "input.x"
// CHECK-DAG: %[[A:.+]] = plan.buffer persistent io "output.a"
// CHECK-DAG: %[[B:.+]] = plan.buffer persistent io "output.b"
// CHECK-DAG: %[[C:.+]] = plan.buffer persistent io "output.c"
// CHECK: plan.launch @{{.+}}(%[[X]], %[[A]]) [read, write]
// CHECK-DAG: plan.launch @[[COPY:.+]](%[[A]], %[[B]]) [read, write]
// CHECK-DAG: plan.launch @[[COPY]](%[[A]], %[[C]]) [read, write]
accel.state @"input.x" input : tensor<4xf32> {accel.name = "x"}
accel.state @"output.a" output : tensor<4xf32> {accel.name = "a"}
accel.state @"output.b" output : tensor<4xf32> {accel.name = "b"}
accel.state @"output.c" output : tensor<4xf32> {accel.name = "c"}
func.func @infer() attributes {accel.role = #accel.role<infer>} {
  %x = accel.read @"input.x" : tensor<4xf32>
  %y = accel.exp %x : tensor<4xf32>
  accel.write @"output.a", %y : tensor<4xf32>
  accel.write @"output.b", %y : tensor<4xf32>
  accel.write @"output.c", %y : tensor<4xf32>
  return
}
