// RUN: accel-opt %s --accel-assign-lanes | FileCheck %s

// Fetches and metrics go to the communication lane; metrics move to the end.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer io io "x" : memref<8xf32>
  %1 = plan.buffer transient activations : memref<f64>
  // CHECK: plan.fetch {{.*}} {lane = "communication"}
  plan.fetch ["x"] into %0 ahead 0 : memref<8xf32>
  // CHECK: plan.launch @a{{.*}} {lane = "compute"}
  plan.launch @a(%0, %1) [read, write] units 1 : memref<8xf32>, memref<f64>
  plan.metric "loss", %1 : memref<f64>
  // CHECK-NEXT: plan.launch @b{{.*}} {lane = "compute"}
  plan.launch @b(%0) [write] units 1 : memref<8xf32>
  // CHECK-NEXT: plan.metric "loss"{{.*}} {lane = "communication"}
  return
}
