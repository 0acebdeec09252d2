// The update of parameters that microbatches read in 8 bits, cut into squares of 32 x 32: a scale each, found of all ranks' parts, for any cut of the
// segment. Granules are of 16 elements, as many as rows of 32 and 48 have in common: each lies in one square.
// RUN: accel-opt %s --accel-expand-update | FileCheck %s
// In ranks' parts it is the same program.
// RUN: accel-opt %s --accel-shard-states=mode=fsdp --accel-expand-update | FileCheck %s

// CHECK-LABEL: func @step
// CHECK: accel.write @m.low.master, %[[NEW:.+]] : tensor<2560xf32>
// CHECK: %[[ABS:.+]] = accel.abs %[[NEW]]
// CHECK: %[[ROWS:.+]] = accel.reshape %[[ABS]] : tensor<2560xf32> -> tensor<160x16xf32>
// CHECK: %[[MAXIMA:.+]] = accel.reduce_max %[[ROWS]] [1] : tensor<160x16xf32> -> tensor<160xf32>
// A square of @a becomes a row; there are zeros behind what the second one lacks.
// CHECK: accel.slice %[[MAXIMA]] [0] strides [1] : tensor<160xf32> -> tensor<96xf32>
// CHECK: accel.pad %{{.+}} [0, 0] strides [1, 1] : tensor<48x2xf32> -> tensor<64x2xf32>
// CHECK: accel.transpose %{{.+}} [0, 2, 1, 3] : tensor<2x32x1x2xf32> -> tensor<2x1x32x2xf32>
// CHECK: %[[A:.+]] = accel.reduce_max %{{.+}} [1] : tensor<2x64xf32> -> tensor<2xf32>
// @b has two beside each other, both cut; what is free behind it in the segment is none of them.
// CHECK: accel.slice %[[MAXIMA]] [96] strides [1] : tensor<160xf32> -> tensor<64xf32>
// CHECK: accel.slice %{{.+}} [0] strides [1] : tensor<64xf32> -> tensor<63xf32>
// CHECK: accel.pad %{{.+}} [0, 0] strides [1, 1] : tensor<21x3xf32> -> tensor<32x4xf32>
// CHECK: %[[B:.+]] = accel.reduce_max %{{.+}} [1] : tensor<2x64xf32> -> tensor<2xf32>
// What is frozen has no share.
// CHECK: %[[NONE:.+]] = accel.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK: %[[ALL:.+]] = accel.concat %[[B]], %[[NONE]], %[[A]] axis 0
// CHECK: accel.write @weight_amax, %[[ALL]] : tensor<6xf32>
// Behind the write ranks find the largest of all. Scales are powers of two; that of a square of zeros stays.
// CHECK: %[[SEEN:.+]] = accel.read @weight_amax : tensor<6xf32>
// CHECK: %[[EXACT:.+]] = accel.div %[[SEEN]], %
// CHECK: %[[BOUNDED:.+]] = accel.max %[[EXACT]], %
// CHECK: %[[POWERS:.+]] = accel.cast %[[BOUNDED]] : tensor<6xf32> -> tensor<6xf8E8M0FNU>
// CHECK: %[[WIDE:.+]] = accel.cast %[[POWERS]] : tensor<6xf8E8M0FNU> -> tensor<6xf32>
// CHECK: %[[SCALES:.+]] = accel.div %{{.+}}, %[[WIDE]]
// CHECK: %[[ISKNOWN:.+]] = accel.compare gt, %[[SEEN]], %
// CHECK: %[[OLD:.+]] = accel.read @weight_scale : tensor<6xf32>
// CHECK: %[[KEPT:.+]] = accel.select %[[ISKNOWN]], %[[SCALES]], %[[OLD]]
// CHECK: accel.write @weight_scale, %[[KEPT]] : tensor<6xf32>
// CHECK: %[[INVERSES:.+]] = accel.div %{{.+}}, %[[KEPT]]
// CHECK: accel.write @weight_inverse, %[[INVERSES]] : tensor<6xf32>
// The scale of each granule.
// CHECK: accel.slice %[[KEPT]] [4] strides [1] : tensor<6xf32> -> tensor<2xf32>
// CHECK: accel.broadcast %{{.+}} [0, 2] : tensor<2x1xf32> -> tensor<2x32x1x2xf32>
// CHECK: accel.slice %[[KEPT]] [0] strides [1] : tensor<6xf32> -> tensor<2xf32>
// CHECK: accel.broadcast %{{.+}} [0, 2] : tensor<1x2xf32> -> tensor<1x32x2x2xf32>
// CHECK: %[[FREE:.+]] = accel.constant dense<1.000000e+00> : tensor<1xf32>
// CHECK: accel.concat %{{.+}}, %[[FREE]] axis 0 : tensor<63xf32>, tensor<1xf32> -> tensor<64xf32>
// CHECK: %[[OFROWS:.+]] = accel.concat %{{.+}}, %{{.+}} axis 0 : tensor<96xf32>, tensor<64xf32> -> tensor<160xf32>
// CHECK: %[[FACTORS:.+]] = accel.broadcast %[[OFROWS]] [0] : tensor<160xf32> -> tensor<160x16xf32>
// CHECK: %[[MATRIX:.+]] = accel.reshape %[[NEW]]
// CHECK: %[[SCALED:.+]] = accel.mul %[[MATRIX]], %[[FACTORS]]
// CHECK: %[[FLAT:.+]] = accel.reshape %[[SCALED]]
// CHECK: %[[BYTES:.+]] = accel.cast %[[FLAT]] saturate : tensor<2560xf32> -> tensor<2560xf8E4M3FN>
// CHECK: accel.write @m.low.compute, %[[BYTES]] : tensor<2560xf8E4M3FN>
// CHECK-NOT: accel.write @m.frozen.compute
module attributes {accel.fp8 = {block = 32 : i64, emulated, forward = f8E4M3FN, gradient = f8E4M3FN, recipe = "mx"}, accel.precision = bf16} {
accel.parameter @a : tensor<48x32xf32> trainable compute f8E4M3FN {scale = 4 : i64, segment = @m.low.master, offset = 0 : i64}
accel.parameter @b : tensor<21x48xf32> trainable compute f8E4M3FN {scale = 0 : i64, segment = @m.low.master, offset = 1536 : i64}
accel.parameter @f : tensor<48x32xf32> compute f8E4M3FN {scale = 2 : i64, segment = @m.frozen.master, offset = 0 : i64}
accel.state @lr hyperparameter : tensor<f64>
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
accel.state @weight_scale scale : tensor<6xf32>
accel.state @weight_inverse scale : tensor<6xf32>
accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"low" group decayed, 2560 elements of @a, @b>, #accel.segment<"frozen" group frozen, 1536 elements of @f>]}
accel.state @m.low.master slot : tensor<2560xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @m.low.compute slot : tensor<2560xf8E4M3FN> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<compute>, group = #accel.group<decayed>}
accel.state @m.low.gradient slot : tensor<2560xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @m.low.momentum slot : tensor<2560xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
accel.state @m.frozen.master slot : tensor<1536xf32> {segment = #accel.segment_ref<@m "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}
accel.state @m.frozen.compute slot : tensor<1536xf8E4M3FN> {segment = #accel.segment_ref<@m "frozen">, slot = #accel.slot<compute>, group = #accel.group<frozen>}
accel.state @weight_amax partial_max : tensor<6xf32>
func.func @step(%s: tensor<f64>) {
  accel.update %s kind "sgd" : tensor<f64>
  return
}
}
