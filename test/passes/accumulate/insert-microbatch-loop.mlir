// RUN: accel-opt %s --accel-insert-microbatch-loop | FileCheck %s
// The module says how many samples a step has, where a run says nothing.
// RUN: accel-opt %s --accel-insert-microbatch-loop=global-batch=12 | FileCheck %s --check-prefix=BATCH
// BATCH: module attributes {{.*}}accel.global_batch = 12 : i64

// The body of a microbatch is repeated; arguments are inputs, with what is known of them. Accumulators are zero before the
// loop; the mean is taken once, behind it, by a count that is never zero.
// CHECK-LABEL: func @step()
// CHECK: %[[ZERO:.+]] = accel.constant dense<0.000000e+00> : tensor<f64>
// CHECK: accel.write @loss_sum, %[[ZERO]]
// CHECK: accel.write @target_count
// CHECK: accel.repeat {
// CHECK-NEXT: %[[X:.+]] = accel.input "x" : tensor<2xf32>
// CHECK-NEXT: %[[LABELS:.+]] = accel.input "labels" {accel.range = [0, 9], accel.target} : tensor<2xi64>
// CHECK: accel.accumulate @w, %[[X]]
// CHECK: }
// CHECK-DAG: %[[SUM:.+]] = accel.read @loss_sum
// CHECK-DAG: %[[COUNT:.+]] = accel.read @target_count
// CHECK: %[[LEAST:.+]] = accel.constant dense<9.0949470177292824E-13>
// CHECK: %[[DIVISOR:.+]] = accel.max %[[COUNT]], %[[LEAST]]
// CHECK: %[[LOSS:.+]] = accel.div %[[SUM]], %[[DIVISOR]]
// CHECK: %[[POWER:.+]] = accel.constant dense<8.000000e+00>
// CHECK: %[[SCALE:.+]] = accel.div %[[POWER]], %[[DIVISOR]]
// CHECK: accel.metric "loss", %[[LOSS]]
// CHECK: accel.metric "tokens", %[[COUNT]]
// CHECK: accel.metric "gradient_scale", %[[SCALE]]
// CHECK: return
// CHECK-NOT: @microbatch
module attributes {accel.gradient_exponent = 3 : i64} {
  accel.parameter @w : tensor<2xf32> trainable
  accel.state @loss_sum accumulator : tensor<f64>
  accel.state @target_count accumulator : tensor<f64>
  func.func @microbatch(%x: tensor<2xf32> {accel.name = "x"}, %labels: tensor<2xi64> {accel.name = "labels", accel.range = [0, 9], accel.target}) {
    accel.accumulate @w, %x : tensor<2xf32>
    %c = accel.cast %labels : tensor<2xi64> -> tensor<2xf64>
    %s = accel.reduce_sum %c [0] : tensor<2xf64> -> tensor<f64>
    accel.accumulate @loss_sum, %s : tensor<f64>
    accel.accumulate @target_count, %s : tensor<f64>
    return
  }
}
