// RUN: accel-opt %s --accel-insert-microbatch-loop --accel-insert-update | FileCheck %s
// RUN: sed 's/"megatron"/"1024"/; s/@loss_scale counter/@loss_scale hyperparameter/' %s | accel-opt --accel-insert-microbatch-loop --accel-insert-update | FileCheck %s --check-prefix=CONSTANT

// The accumulated gradient is divided by the scale with what makes a mean of it, and the step reports what it has used. Under a policy that
// changes the scale its numbers can be set, and its counters are states.
// CHECK-DAG: accel.state @loss_scale_window hyperparameter : tensor<f64> {accel.meaning = {integer}, initial = 1.000000e+03 : f64}
// CHECK-DAG: accel.state @loss_scale_hysteresis hyperparameter : tensor<f64> {accel.meaning = {integer}, initial = 2.000000e+00 : f64}
// CHECK-DAG: accel.state @loss_scale_steps counter : tensor<f64> {initial = 0.000000e+00 : f64}
// CHECK-DAG: accel.state @loss_scale_overflows counter : tensor<f64> {initial = 0.000000e+00 : f64}
// CHECK: %[[DIVISOR:.+]] = accel.max
// CHECK: %[[LOSS:.+]] = accel.div %{{.+}}, %[[DIVISOR]]
// CHECK: %[[USED:.+]] = accel.read @loss_scale : tensor<f64>
// CHECK-NEXT: accel.metric "loss_scale", %[[USED]]
// CHECK-NEXT: %[[BOTH:.+]] = accel.mul %[[DIVISOR]], %[[USED]]
// CHECK: %[[SCALE:.+]] = accel.div %{{.+}}, %[[BOTH]]
// CHECK: accel.metric "loss", %[[LOSS]]
// CHECK: accel.metric "gradient_scale", %[[SCALE]]
// CHECK: accel.update %[[SCALE]]
// CONSTANT-NOT: @loss_scale_
// CONSTANT: accel.metric "loss_scale"
module attributes {accel.gradient_exponent = 3 : i64, accel.loss_scale = "megatron"} {
  accel.parameter @w : tensor<2xf32> trainable
  accel.state @loss_scale counter : tensor<f64> {initial = 8.0 : f64}
  accel.state @loss_sum accumulator : tensor<f64>
  accel.state @target_count accumulator : tensor<f64>
  func.func @microbatch(%x: tensor<2xf32> {accel.name = "x"}) {
    accel.accumulate @w, %x : tensor<2xf32>
    %c = accel.cast %x : tensor<2xf32> -> tensor<2xf64>
    %s = accel.reduce_sum %c [0] : tensor<2xf64> -> tensor<f64>
    accel.accumulate @loss_sum, %s : tensor<f64>
    accel.accumulate @target_count, %s : tensor<f64>
    return
  }
}
