// RUN: accel-opt %s --accel-annotate-costs | FileCheck %s
// What is written passes the check, which counts on its own.
// RUN: accel-opt %s --accel-annotate-costs --accel-verify-schedule

func.func private @k(%x: tensor<8xf32>) -> tensor<8xf32> attributes {
    plan.kernel = {kind = "flat", elements = 8 : i64, rows = 1 : i64, columns = 8 : i64}} {
  %y = accel.add %x, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// A cast to 8 bits is arithmetic on f32.
func.func private @cast(%x: tensor<8xf32>) -> tensor<8xf8E4M3FN> attributes {
    plan.kernel = {kind = "flat", elements = 8 : i64, rows = 1 : i64, columns = 8 : i64}} {
  %y = accel.cast %x saturate : tensor<8xf32> -> tensor<8xf8E4M3FN>
  return %y : tensor<8xf8E4M3FN>
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
  %2 = plan.buffer transient activations : memref<8xf8E4M3FN>
  // CHECK: plan.launch @cast{{.*}}cost = #plan.cost<40 bytes, 8 f32>
  plan.launch @cast(%0, %2) [read, write] : memref<8xf32>, memref<8xf8E4M3FN>
  // CHECK: plan.all_reduce {{.*}}bytes_sent = #plan.size<64 bytes>, cost = #plan.cost<64 bytes>, sequence = 0 : i64
  plan.all_reduce %1 over ["replica", "fsdp"] : memref<8xf32>
  // CHECK: plan.all_reduce {{.*}}sequence = 1 : i64
  plan.all_reduce %0 over ["replica", "fsdp"] : memref<8xf32>
  return
}
// Of what is cut the bits of one element are said: all parts of it together depend on the ranks.
// CHECK-LABEL: func.func @cut
func.func @cut() {
  %0 = plan.buffer persistent parameters "p" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %1 = plan.buffer transient gathered in shared : memref<256xf32>
  // CHECK: plan.all_gather {{.*}}bytes_sent = #plan.size<32 bits of <256 granule 128 over "fsdp">>, cost = #plan.cost<2048 bytes>, sequence = 0 : i64
  plan.all_gather "p" %0 into %1 {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  return
}
// CHECK-LABEL: func.func @evaluate
func.func @evaluate() attributes {accel.role = #accel.role<evaluate>} {
  %0 = plan.buffer transient activations : memref<f64>
  // CHECK: plan.all_reduce {{.*}}bytes_sent = #plan.size<16 bytes>, cost = #plan.cost<16 bytes>, sequence = 0 : i64
  plan.all_reduce %0 over ["replica", "fsdp"] : memref<f64>
  return
}
