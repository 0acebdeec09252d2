// RUN: accel-opt %s --accel-attach-objective | FileCheck %s
// RUN: accel-opt %s --accel-attach-objective --accel-differentiate-module --accel-verify-differentiate | FileCheck %s --check-prefix=GRADIENT

// Means over the elements of a mask, twice, over those of another one, and over all: each sum of a sample is multiplied by samples per
// target of the whole step, which a counter has; the same mask is counted once. Samples are counted beside the masks, each target with the
// weight of its sample. The number per sample is then one of a mean over samples.
// CHECK: accel.objective = {{{.*}}no_evaluation = "the loss adds means over different counts of targets"
// CHECK-DAG: accel.state @counted_samples accumulator : tensor<f64>
// CHECK-DAG: accel.state @counted_0 accumulator : tensor<f64>
// CHECK-DAG: accel.state @samples_per_count_0 counter : tensor<f64>
// CHECK-DAG: accel.state @counted_1 accumulator : tensor<f64>
// CHECK-DAG: accel.state @samples_per_count_1 counter : tensor<f64>
// CHECK-NOT: @counted_2
// CHECK: func.func @microbatch
// CHECK-SAME: %[[M:[^: ]+]]: tensor<2x3xf32> {accel.name = "m"}
// CHECK: %[[WEIGHTS:.+]] = accel.input "sample_weights" : tensor<2xf32>
// CHECK: %[[SPREAD:.+]] = accel.broadcast %[[WEIGHTS]] [0] : tensor<2xf32> -> tensor<2x3xf32>
// CHECK: %[[COUNTED:.+]] = accel.mul %[[M]], %[[SPREAD]]
// CHECK: accel.accumulate @counted_samples, %{{.+}} : tensor<f64>
// CHECK: %[[WIDE:.+]] = accel.cast %[[COUNTED]]
// CHECK: %[[SUM:.+]] = accel.reduce_sum %[[WIDE]] [0, 1]
// CHECK: accel.accumulate @counted_0, %[[SUM]] : tensor<f64>
// CHECK: %[[EACH:.+]] = accel.read @samples_per_count_0 : tensor<f64>
// CHECK: %[[SHARE:.+]] = accel.cast %[[EACH]] : tensor<f64> -> tensor<f32>
// CHECK: %[[A:.+]] = accel.reduce_sum %{{.+}} [0, 2] : tensor<1x2x3xf32> -> tensor<2xf32>
// CHECK: %[[SHARES:.+]] = accel.broadcast %[[SHARE]] [] : tensor<f32> -> tensor<2xf32>
// CHECK: %[[FIRST:.+]] = accel.mul %[[A]], %[[SHARES]]
// CHECK: accel.broadcast %[[SHARE]] [] : tensor<f32> -> tensor<2xf32>
// CHECK: accel.accumulate @counted_1
// CHECK: accel.read @samples_per_count_1
// CHECK: %[[THIRD:.+]] = accel.constant dense<0.333333343> : tensor<2xf32>
// CHECK: accel.mul %{{.+}}, %[[THIRD]]
// CHECK: %[[LOSSES:.+]] = accel.mul %{{.+}}, %[[WEIGHTS]]
// CHECK: return %[[LOSSES]], %{{.+}}, %{{.+}} : tensor<2xf32>, tensor<f64>, tensor<f64>

// GRADIENT: accel.gradient_exponent = 1
// GRADIENT: accel.accumulate @w
module attributes {accel.batch = 2 : i64} {
  accel.parameter @w : tensor<3xf32> trainable
  func.func @forward(%x: tensor<2x3xf32> {accel.name = "x"}, %m: tensor<2x3xf32> {accel.name = "m"}, %n: tensor<2x3xf32> {accel.name = "n"}) -> (tensor<f32> {accel.name = "loss"}) {
    %row = accel.read @w : tensor<3xf32>
    %w = accel.broadcast %row [1] : tensor<3xf32> -> tensor<2x3xf32>
    %y = accel.mul %x, %w : tensor<2x3xf32>
    %ym = accel.mul %y, %m : tensor<2x3xf32>
    %yn = accel.mul %y, %n : tensor<2x3xf32>
    %a = accel.reduce_sum %ym [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %counta = accel.reduce_sum %m [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %first = accel.div %a, %counta : tensor<f32>
    %square = accel.mul %ym, %y : tensor<2x3xf32>
    %b = accel.reduce_sum %square [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %second = accel.div %b, %counta : tensor<f32>
    %c = accel.reduce_sum %yn [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %countc = accel.reduce_sum %n [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %third = accel.div %c, %countc : tensor<f32>
    %d = accel.reduce_sum %y [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %six = accel.constant dense<6.0> : tensor<f32>
    %fourth = accel.div %d, %six : tensor<f32>
    %s = accel.add %first, %second : tensor<f32>
    %t = accel.add %s, %third : tensor<f32>
    %loss = accel.add %t, %fourth : tensor<f32>
    return %loss : tensor<f32>
  }
}
