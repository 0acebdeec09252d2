// The next scales of tensors whose scales are known before the step: with a history, and without.
// RUN: split-file %s %t
// RUN: accel-opt %t/history.mlir --accel-expand-update | FileCheck %t/history.mlir
// RUN: accel-opt %t/recent.mlir --accel-expand-update | FileCheck %t/recent.mlir

//--- history.mlir
// CHECK-LABEL: func @step
// CHECK: %[[AMAX:.+]] = accel.read @delayed_amax : tensor<2xf32>
// The column of this step replaces the oldest one.
// CHECK: %[[COLUMN:.+]] = accel.read @delayed_column : tensor<f64>
// CHECK: %[[NUMBER:.+]] = accel.cast %[[COLUMN]] : tensor<f64> -> tensor<i64>
// CHECK: %[[WANTED:.+]] = accel.broadcast %[[NUMBER]] []
// CHECK: %[[PLACES:.+]] = accel.iota 1 : tensor<2x4xi64>
// CHECK: %[[ISCOLUMN:.+]] = accel.compare eq, %[[PLACES]], %[[WANTED]]
// CHECK: %[[OLD:.+]] = accel.read @delayed_history : tensor<2x4xf32>
// CHECK: %[[REPEATED:.+]] = accel.broadcast %[[AMAX]] [0] : tensor<2xf32> -> tensor<2x4xf32>
// CHECK: %[[NEXT:.+]] = accel.select %[[ISCOLUMN]], %[[REPEATED]], %[[OLD]]
// A step that is not finite leaves it as it is.
// CHECK: %[[KEPT:.+]] = accel.select %{{.+}}, %[[NEXT]], %[[OLD]]
// CHECK: accel.write @delayed_history, %[[KEPT]]
// CHECK: %[[BEHIND:.+]] = accel.add %[[COLUMN]], %
// CHECK: %[[ISINSIDE:.+]] = accel.compare lt, %[[BEHIND]], %
// CHECK: %[[WRAPPED:.+]] = accel.select %[[ISINSIDE]], %[[BEHIND]], %
// CHECK: %[[NEXTCOLUMN:.+]] = accel.select %{{.+}}, %[[WRAPPED]], %[[COLUMN]]
// CHECK: accel.write @delayed_column, %[[NEXTCOLUMN]]
// CHECK: %[[MOST:.+]] = accel.reduce_max %[[KEPT]] [1] : tensor<2x4xf32> -> tensor<2xf32>
// CHECK: %[[SCALE:.+]] = accel.read @delayed_scale : tensor<2xf32>
// CHECK: %[[LARGEST:.+]] = accel.constant dense<[4.480000e+02, 5.734400e+04]> : tensor<2xf32>
// Infinity, NaN and zero keep the scale.
// CHECK: %[[ISFINITE:.+]] = accel.compare le, %[[MOST]], %
// CHECK: %[[ISPOSITIVE:.+]] = accel.compare gt, %[[MOST]], %
// CHECK: %[[ISKNOWN:.+]] = accel.and %[[ISPOSITIVE]], %[[ISFINITE]]
// CHECK: %[[DIVISOR:.+]] = accel.max %[[MOST]], %
// CHECK: %[[QUOTIENT:.+]] = accel.div %[[LARGEST]], %[[DIVISOR]]
// CHECK: %[[LEAST:.+]] = accel.constant dense<1.17549435E-38> : tensor<2xf32>
// CHECK: %[[NUMBERS:.+]] = accel.max %[[QUOTIENT]], %[[LEAST]]
// CHECK: %[[CHOSEN:.+]] = accel.select %[[ISKNOWN]], %[[NUMBERS]], %[[SCALE]]
// CHECK: %[[WRITTEN:.+]] = accel.select %{{.+}}, %[[CHOSEN]], %[[SCALE]]
// CHECK: accel.write @delayed_scale, %[[WRITTEN]]
// CHECK: %[[INVERSE:.+]] = accel.div %{{.+}}, %[[WRITTEN]]
// CHECK: accel.write @delayed_inverse, %[[INVERSE]]
accel.parameter @a : tensor<16x8xf32> trainable {segment = @m.all.master, offset = 0 : i64}
accel.state @lr hyperparameter : tensor<f64>
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
accel.state @delayed_scale scale : tensor<2xf32> {accel.delayed_largest = dense<[448.0, 57344.0]> : tensor<2xf32>}
accel.state @delayed_inverse scale : tensor<2xf32>
accel.state @delayed_amax accumulator_max : tensor<2xf32>
accel.state @delayed_history scale : tensor<2x4xf32>
accel.state @delayed_column counter : tensor<f64>
accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"all" group decayed, 128 elements of @a>]}
accel.state @m.all.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "all">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @m.all.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "all">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @m.all.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "all">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
func.func @step(%s: tensor<f64>) {
  accel.update %s kind "sgd" : tensor<f64>
  return
}

//--- recent.mlir
// CHECK-LABEL: func @step
// CHECK: %[[AMAX:.+]] = accel.read @delayed_amax : tensor<2xf32>
// CHECK-NOT: accel.reduce_max
// CHECK: accel.compare le, %[[AMAX]], %
// CHECK: accel.compare gt, %[[AMAX]], %
// CHECK: accel.write @delayed_scale
// CHECK: accel.write @delayed_inverse
accel.parameter @a : tensor<16x8xf32> trainable {segment = @m.all.master, offset = 0 : i64}
accel.state @lr hyperparameter : tensor<f64>
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
accel.state @skipped_steps counter : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
accel.state @delayed_scale scale : tensor<2xf32> {accel.delayed_largest = dense<[448.0, 57344.0]> : tensor<2xf32>}
accel.state @delayed_inverse scale : tensor<2xf32>
accel.state @delayed_amax accumulator_max : tensor<2xf32>
accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"all" group decayed, 128 elements of @a>]}
accel.state @m.all.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "all">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @m.all.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "all">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
accel.state @m.all.momentum slot : tensor<128xf32> {segment = #accel.segment_ref<@m "all">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
func.func @step(%s: tensor<f64>) {
  accel.update %s kind "sgd" : tensor<f64>
  return
}
