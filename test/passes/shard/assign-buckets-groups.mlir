// RUN: accel-opt %s --accel-assign-buckets | FileCheck %s

// What is updated in another way lies apart, under names that say how; what decays by its own number or by word is decayed whatever its rank.
// CHECK: accel.parameter @matrix : {{.*}}segment = @model.decayed.master{{[,}]}}
// CHECK: accel.parameter @slow : {{.*}}segment = @model.decayed_lr0.1.master{{[,}]}}
// CHECK: accel.parameter @slower : {{.*}}segment = @model.decayed_lr0.01_wd0.5.master{{[,}]}}
// CHECK: accel.parameter @vector : {{.*}}segment = @model.undecayed.master{{[,}]}}
// CHECK: accel.parameter @said : {{.*}}segment = @model.decayed.master{{[,}]}}
// CHECK: accel.parameter @own : {{.*}}segment = @model.decayed_wd0.125.master{{[,}]}}
// CHECK: accel.parameter @none : {{.*}}segment = @model.undecayed.master{{[,}]}}
// CHECK: accel.parameter @alike : {{.*}}segment = @model.decayed_lr0.1.master{{[,}]}}
// CHECK: accel.bucket @model {granule = 128 : i64, segments = [
// CHECK-SAME: #accel.segment<"decayed" group decayed, 128 elements of @matrix, @said>,
// CHECK-SAME: #accel.segment<"decayed_lr0.1" group decayed, 128 elements of @slow, @alike>,
// CHECK-SAME: #accel.segment<"decayed_lr0.01_wd0.5" group decayed, 128 elements of @slower>,
// CHECK-SAME: #accel.segment<"decayed_wd0.125" group decayed, 128 elements of @own>,
// CHECK-SAME: #accel.segment<"undecayed" group undecayed, 128 elements of @vector, @none>,
// CHECK-SAME: #accel.segment<"frozen" group frozen, 128 elements of @frozen>]}

// What trains has an average, which begins as a copy.
// CHECK: accel.state @model.decayed.average slot : tensor<128xf32> {group = #accel.group<decayed>, segment = #accel.segment_ref<@model "decayed">, slot = #accel.slot<optimizer : "average">}
// CHECK: accel.state @model.undecayed.average slot
// CHECK-NOT: @model.frozen.average
// CHECK-LABEL: func.func @init
// CHECK: %[[MASTER:.+]] = accel.read @model.decayed.master : tensor<128xf32>
// CHECK: accel.write @model.decayed.average, %[[MASTER]] : tensor<128xf32>
accel.state @ema hyperparameter : tensor<f64> {initial = 0.9 : f64}
accel.parameter @matrix : tensor<4x4xf32> trainable
accel.parameter @slow : tensor<4x4xf32> trainable {lr_factor = 0.1 : f64}
accel.parameter @slower : tensor<4x4xf32> trainable {lr_factor = 0.01 : f64, weight_decay = 0.5 : f64}
accel.parameter @vector : tensor<4xf32> trainable
accel.parameter @said : tensor<4xf32> trainable {decays = true}
accel.parameter @own : tensor<4xf32> trainable {weight_decay = 0.125 : f64}
accel.parameter @none : tensor<4x4xf32> trainable {decays = true, weight_decay = 0.0 : f64}
accel.parameter @alike : tensor<4x4xf32> trainable {lr_factor = 0.1 : f64}
accel.parameter @frozen : tensor<4x4xf32>
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  return
}
func.func @step(%scale: tensor<f64>) attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  accel.update %scale kind "sgd" : tensor<f64>
  return
}
