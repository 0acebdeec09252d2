// The update of parameters that microbatches read in 8 bits: one scale each, found of all ranks' parts, for any cut of the segment.
// RUN: accel-opt %s --accel-expand-update | FileCheck %s
// In ranks' parts it is the same program.
// RUN: accel-opt %s --accel-shard-states=mode=fsdp --accel-expand-update | FileCheck %s

// CHECK-LABEL: func @step
// CHECK: accel.write @m.low.master, %[[NEW:.+]] : tensor<512xf32>
// The master is not rounded before its scale is known.
// CHECK-NOT: accel.write @m.low.compute
// The largest magnitude of each row of 128, then of the rows of each parameter.
// CHECK: %[[ABS:.+]] = accel.abs %[[NEW]]
// CHECK: %[[ROWS:.+]] = accel.reshape %[[ABS]] : tensor<512xf32> -> tensor<4x128xf32>
// CHECK: %[[MAXIMA:.+]] = accel.reduce_max %[[ROWS]] [1] : tensor<4x128xf32> -> tensor<4xf32>
// CHECK: %[[AROWS:.+]] = accel.slice %[[MAXIMA]] [0] strides [1] : tensor<4xf32> -> tensor<1xf32>
// CHECK: %[[AMAX:.+]] = accel.reduce_max %[[AROWS]] [0] : tensor<1xf32> -> tensor<f32>
// CHECK: %[[A:.+]] = accel.reshape %[[AMAX]]
// CHECK: %[[BROWS:.+]] = accel.slice %[[MAXIMA]] [1] strides [1] : tensor<4xf32> -> tensor<3xf32>
// CHECK: %[[BMAX:.+]] = accel.reduce_max %[[BROWS]] [0] : tensor<3xf32> -> tensor<f32>
// CHECK: %[[B:.+]] = accel.reshape %[[BMAX]]
// What is frozen has no share.
// CHECK: %[[NONE:.+]] = accel.constant dense<0.000000e+00> : tensor<1xf32>
// In the order of the scales, not of the segment.
// CHECK: %[[ALL:.+]] = accel.concat %[[B]], %[[NONE]], %[[A]] axis 0
// CHECK: accel.write @weight_amax, %[[ALL]] : tensor<3xf32>
// Behind the write ranks find the largest of all: it is read again.
// CHECK: %[[SEEN:.+]] = accel.read @weight_amax : tensor<3xf32>
// CHECK: %[[DIVISOR:.+]] = accel.max %[[SEEN]], %
// CHECK: %[[SCALES:.+]] = accel.div %{{.+}}, %[[DIVISOR]]
// CHECK: %[[ISKNOWN:.+]] = accel.compare gt, %[[SEEN]], %
// CHECK: %[[OLD:.+]] = accel.read @weight_scale : tensor<3xf32>
// CHECK: %[[KEPT:.+]] = accel.select %[[ISKNOWN]], %[[SCALES]], %[[OLD]]
// CHECK: accel.write @weight_scale, %[[KEPT]] : tensor<3xf32>
// CHECK: %[[INVERSES:.+]] = accel.div %{{.+}}, %[[KEPT]]
// CHECK: accel.write @weight_inverse, %[[INVERSES]] : tensor<3xf32>
// The scale of each row, of the padding behind the last parameter, too.
// CHECK: %[[ASCALE:.+]] = accel.slice %[[KEPT]] [2] strides [1]
// CHECK: accel.broadcast %{{.+}} [] : tensor<f32> -> tensor<1xf32>
// CHECK: %[[BSCALE:.+]] = accel.slice %[[KEPT]] [0] strides [1]
// CHECK: accel.broadcast %{{.+}} [] : tensor<f32> -> tensor<3xf32>
// CHECK: %[[OFROWS:.+]] = accel.concat %{{.+}}, %{{.+}} axis 0 : tensor<1xf32>, tensor<3xf32> -> tensor<4xf32>
// CHECK: %[[FACTORS:.+]] = accel.broadcast %[[OFROWS]] [0] : tensor<4xf32> -> tensor<4x128xf32>
// CHECK: %[[MATRIX:.+]] = accel.reshape %[[NEW]]
// CHECK: %[[SCALED:.+]] = accel.mul %[[MATRIX]], %[[FACTORS]]
// CHECK: %[[FLAT:.+]] = accel.reshape %[[SCALED]]
// CHECK: %[[BYTES:.+]] = accel.cast %[[FLAT]] saturate : tensor<512xf32> -> tensor<512xf8E4M3FN>
// CHECK: accel.write @m.low.compute, %[[BYTES]] : tensor<512xf8E4M3FN>
// CHECK-NOT: accel.write @m.frozen.compute
accel.parameter @a : tensor<16x8xf32> trainable compute f8E4M3FN {scale = 2 : i64, segment = @m.low.master, offset = 0 : i64}
accel.parameter @b : tensor<16x17xf32> trainable compute f8E4M3FN {scale = 0 : i64, segment = @m.low.master, offset = 128 : i64}
accel.parameter @f : tensor<16x8xf32> compute f8E4M3FN {scale = 1 : i64, segment = @m.frozen.master, offset = 0 : i64}
accel.state @lr hyperparameter : tensor<f64>
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
accel.state @weight_scale scale : tensor<3xf32>
accel.state @weight_inverse scale : tensor<3xf32>
accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"low" group decayed, 512 elements of @a, @b>, #accel.segment<"frozen" group frozen, 128 elements of @f>]}
accel.state @m.low.master slot : tensor<512xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @m.low.compute slot : tensor<512xf8E4M3FN> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<compute>, group = #accel.group<decayed>}
accel.state @m.low.gradient slot : tensor<512xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @m.low.momentum slot : tensor<512xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
accel.state @m.frozen.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}
accel.state @m.frozen.compute slot : tensor<128xf8E4M3FN> {segment = #accel.segment_ref<@m "frozen">, slot = #accel.slot<compute>, group = #accel.group<frozen>}
accel.state @weight_amax partial_max : tensor<3xf32>
func.func @step(%s: tensor<f64>) {
  accel.update %s kind "sgd" : tensor<f64>
  return
}
