// RUN: accel-opt %s --accel-insert-evaluation --split-input-file | FileCheck %s

// A step that trains with dropout, in both forms, on delayed scales; a parameter has the name of the function.
accel.parameter @w : tensor<2x4xf32> trainable
accel.parameter @evaluate : tensor<4xf32> trainable
accel.state @loss_sum accumulator : tensor<f64>
accel.state @target_count accumulator : tensor<f64>
accel.state @amax accumulator_max : tensor<f32>

// The step stays as it is.
// CHECK-LABEL: func.func @step()
// CHECK: accel.dropout
// CHECK: accel.update
func.func @step() attributes {accel.role = #accel.role<step>} {
  %zero = accel.constant dense<0.0> : tensor<f64>
  %none = accel.constant dense<0.0> : tensor<f32>
  accel.write @loss_sum, %zero : tensor<f64>
  accel.write @target_count, %zero : tensor<f64>
  accel.write @amax, %none : tensor<f32>
  accel.repeat {
    %x = accel.input "x" : tensor<2x4xf32>
    %weights = accel.input "sample_weights" : tensor<2xf32>
    %samples = accel.input "sample_indices" : tensor<2xi64>
    %seed = accel.input "seed" : tensor<i64>
    %w = accel.read @w : tensor<2x4xf32>
    %product = accel.mul %x, %w : tensor<2x4xf32>
    %dropped = accel.dropout %product, %samples, %seed probability 0.1 site 1 : tensor<2x4xf32>, tensor<2xi64>, tensor<i64>
    %q = accel.reshape %dropped : tensor<2x4xf32> -> tensor<2x1x2x2xf32>
    %y, %lse = accel.attention %q, %q, %q dropout %samples, %seed probability 0.2 site 2 : tensor<2xi64>, tensor<i64> scale 0.5 causal : tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32> -> tensor<2x1x2x2xf32>, tensor<2x1x2xf32>
    %wide = accel.cast %y : tensor<2x1x2x2xf32> -> tensor<2x1x2x2xf64>
    %loss = accel.reduce_sum %wide [0, 1, 2, 3] : tensor<2x1x2x2xf64> -> tensor<f64>
    %each = accel.cast %weights : tensor<2xf32> -> tensor<2xf64>
    %count = accel.reduce_sum %each [0] : tensor<2xf64> -> tensor<f64>
    %gradient = accel.mul %dropped, %x : tensor<2x4xf32>
    accel.accumulate @w, %gradient : tensor<2x4xf32>
    %largest = accel.reduce_max %gradient [0, 1] : tensor<2x4xf32> -> tensor<f32>
    accel.accumulate @amax, %largest : tensor<f32>
    accel.accumulate @loss_sum, %loss : tensor<f64>
    accel.accumulate @target_count, %count : tensor<f64>
  }
  %sum = accel.read @loss_sum : tensor<f64>
  %targets = accel.read @target_count : tensor<f64>
  %mean = accel.div %sum, %targets : tensor<f64>
  accel.metric "loss", %mean : tensor<f64>
  accel.metric "tokens", %targets : tensor<f64>
  accel.metric "gradient_scale", %mean : tensor<f64>
  accel.update %mean kind "sgd" : tensor<f64>
  return
}

// The copy adds up losses and targets of what forward computes, and nothing else is left.
// CHECK-LABEL: func.func @evaluate_0() attributes {accel.role = #accel.role<evaluate>}
// CHECK-NEXT: %[[ZERO:.+]] = accel.constant
// CHECK-NEXT: accel.write @loss_sum, %[[ZERO]]
// CHECK-NEXT: accel.write @target_count, %[[ZERO]]
// CHECK-NEXT: accel.repeat {
// CHECK-NEXT: %[[X:.+]] = accel.input "x"
// CHECK-NEXT: %[[WEIGHTS:.+]] = accel.input "sample_weights"
// CHECK-NEXT: %[[W:.+]] = accel.read @w
// CHECK-NEXT: %[[PRODUCT:.+]] = accel.mul %[[X]], %[[W]]
// CHECK-NEXT: %[[Q:.+]] = accel.reshape %[[PRODUCT]]
// CHECK-NEXT: accel.attention %[[Q]], %[[Q]], %[[Q]] scale
// CHECK-NEXT: accel.cast
// CHECK-NEXT: %[[LOSS:.+]] = accel.reduce_sum
// CHECK-NEXT: accel.cast
// CHECK-NEXT: %[[COUNT:.+]] = accel.reduce_sum
// CHECK-NEXT: accel.accumulate @loss_sum, %[[LOSS]]
// CHECK-NEXT: accel.accumulate @target_count, %[[COUNT]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[SUM:.+]] = accel.read @loss_sum
// CHECK-NEXT: accel.metric "loss_sum", %[[SUM]]
// CHECK-NEXT: %[[TARGETS:.+]] = accel.read @target_count
// CHECK-NEXT: accel.metric "tokens", %[[TARGETS]]
// CHECK-NEXT: return

// -----

// Samples that influence each other have no losses of their own.
// CHECK-LABEL: module attributes {accel.objective = {whole_microbatches
// CHECK: func.func @step()
// CHECK-NOT: func.func
module attributes {accel.objective = {whole_microbatches = "the model mixes the samples of a microbatch"}} {
  func.func @step() attributes {accel.role = #accel.role<step>} {
    return
  }
}
