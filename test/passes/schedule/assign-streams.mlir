// RUN: accel-opt %s --accel-assign-streams | FileCheck %s

// Fetches go to the host, metrics to the communication stream; metrics move to the end.
// CHECK: plan.stream @compute compute
// CHECK-NEXT: plan.stream @communication communication
// CHECK-NEXT: plan.stream @host host
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer io io "x" : memref<8xf32>
  %1 = plan.buffer transient activations : memref<f64>
  // CHECK: plan.fetch {{.*}} {stream = @host}
  plan.fetch ["x"] into %0 ahead 0 : memref<8xf32>
  // CHECK: plan.launch @a{{.*}} {stream = @compute}
  plan.launch @a(%0, %1) [read, write] : memref<8xf32>, memref<f64>
  plan.metric "loss", %1 : memref<f64>
  // CHECK-NEXT: plan.launch @b{{.*}} {stream = @compute}
  plan.launch @b(%0) [write] : memref<8xf32>
  // CHECK-NEXT: plan.metric "loss"{{.*}} {stream = @communication}
  return
}
