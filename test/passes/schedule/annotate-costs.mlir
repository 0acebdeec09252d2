// RUN: accel-opt %s --accel-annotate-costs | FileCheck %s
// What is written passes the check, which counts on its own.
// RUN: accel-opt %s --accel-annotate-costs --accel-verify-schedule

func.func private @k(%x: tensor<8xf32>) -> tensor<8xf32> attributes {
    plan.kernel = {kind = "flat", elements = 8 : i64, rows = 1 : i64, columns = 8 : i64}} {
  %y = accel.add %x, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// An update is counted twice, a collective's number starts anew in each function.
// CHECK-LABEL: func.func @step
func.func @step() attributes {accel.role = #accel.role<step>} {
  %0 = plan.buffer transient activations : memref<8xf32>
  %1 = plan.buffer transient gradients : memref<8xf32>
  // CHECK: plan.fill {{.*}}cost = #plan.cost<32 bytes>
  plan.fill %0 : memref<8xf32>
  // CHECK: plan.launch @k{{.*}}cost = #plan.cost<64 bytes, 8 f32>
  plan.launch @k(%0, %1) [read, write] : memref<8xf32>, memref<8xf32>
  // CHECK: plan.all_reduce {{.*}}bits_sent = 64 : i64, cost = #plan.cost<64 bytes>, sequence = 0 : i64
  plan.all_reduce %1 over ["replica", "fsdp"] : memref<8xf32>
  // CHECK: plan.all_reduce {{.*}}sequence = 1 : i64
  plan.all_reduce %0 over ["replica", "fsdp"] : memref<8xf32>
  return
}
// CHECK-LABEL: func.func @evaluate
func.func @evaluate() attributes {accel.role = #accel.role<evaluate>} {
  %0 = plan.buffer transient activations : memref<f64>
  // CHECK: plan.all_reduce {{.*}}bits_sent = 128 : i64, cost = #plan.cost<16 bytes>, sequence = 0 : i64
  plan.all_reduce %0 over ["replica", "fsdp"] : memref<f64>
  return
}
