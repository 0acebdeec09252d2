// RUN: split-file %s %t
// RUN: accel-opt %t/language.mlir --accel-attach-objective | FileCheck %t/language.mlir
// RUN: accel-opt %t/masked.mlir --accel-attach-objective | FileCheck %t/masked.mlir
// RUN: accel-opt %t/classes.mlir --accel-attach-objective | FileCheck %t/classes.mlir
// RUN: accel-opt %t/classes.mlir --accel-attach-objective=objective=mse | FileCheck %t/classes.mlir --check-prefix=MSE
// RUN: accel-opt %t/classes.mlir --accel-attach-objective=objective=output:score | FileCheck %t/classes.mlir --check-prefix=OUTPUT
// RUN: accel-opt %t/mixed.mlir --accel-attach-objective --verify-diagnostics | FileCheck %t/mixed.mlir
// RUN: accel-opt %t/mixed.mlir --accel-attach-objective=objective=mse --verify-diagnostics | FileCheck %t/mixed.mlir
// RUN: accel-opt %t/mixed.mlir --accel-attach-objective=objective=output:logits --verify-diagnostics | FileCheck %t/mixed.mlir
// RUN: accel-opt %t/alone.mlir --accel-attach-objective --verify-diagnostics | FileCheck %t/alone.mlir
// RUN: accel-opt %t/low.mlir --accel-attach-objective | FileCheck %t/low.mlir

//--- low.mlir
// Logits of 16 bits, as a forward under torch.autocast gives: the loss is one of f32.
// CHECK-LABEL: func @microbatch
// CHECK: %[[LOGITS:.+]] = accel.cast %{{.+}} : tensor<4x3xbf16> -> tensor<4x3xf32>
// CHECK: accel.softmax_cross_entropy %[[LOGITS]], %{{.+}} : tensor<4x3xf32>
module attributes {accel.batch = 4 : i64} {
  func.func @forward(%x: tensor<4x3xf32> {accel.name = "x"}) -> (tensor<4x3xbf16> {accel.name = "logits"}) {
    %y = accel.cast %x : tensor<4x3xf32> -> tensor<4x3xbf16>
    return %y : tensor<4x3xbf16>
  }
}

//--- language.mlir
// Logits (b, t, v) beside tokens (b, t): a language model. Labels lie beside the logits; -100 is no target.
// CHECK: module attributes {accel.batch = 2 : i64, accel.objective = {kind = "causal-lm", output = "logits", tokens = "input_ids"}}
// CHECK-LABEL: func @microbatch
// CHECK-SAME: %[[IDS:[^: ]+]]: tensor<2x4xi64> {accel.name = "input_ids"}
// CHECK-SAME: %[[LABELS:[^: ]+]]: tensor<2x4xi64> {accel.ignore = -100 : i64, accel.name = "labels", accel.range = [0, 15], accel.target})
// CHECK-SAME: -> (tensor<8xf32>, tensor<f64>, tensor<f64>)
// CHECK: %[[WEIGHTS:.+]] = accel.input "sample_weights" : tensor<2xf32>
// CHECK: %[[FLAT:.+]] = accel.reshape %[[LABELS]] : tensor<2x4xi64> -> tensor<8xi64>
// CHECK: %[[ENTROPY:[^,]+]], %{{.+}} = accel.softmax_cross_entropy %{{.+}}, %[[FLAT]]
// CHECK: %[[SPREAD:.+]] = accel.broadcast %[[WEIGHTS]] [0]
// CHECK: %[[WEIGHT:.+]] = accel.reshape %[[SPREAD]] : tensor<2x4xf32> -> tensor<8xf32>
// CHECK: %[[LOSSES:.+]] = accel.mul %[[ENTROPY]], %[[WEIGHT]]
// CHECK: %[[VALID:.+]] = accel.and
// CHECK: %[[ONE:.+]] = accel.cast %[[VALID]]
// CHECK: %[[COUNTED:.+]] = accel.mul %[[ONE]], %[[WEIGHT]]
// CHECK: %[[WIDE:.+]] = accel.cast %[[LOSSES]] : tensor<8xf32> -> tensor<8xf64>
// CHECK: %[[SUM:.+]] = accel.reduce_sum %[[WIDE]] [0]
// CHECK: %[[WIDE2:.+]] = accel.cast %[[COUNTED]]
// CHECK: %[[COUNT:.+]] = accel.reduce_sum %[[WIDE2]] [0]
// CHECK: return %[[LOSSES]], %[[SUM]], %[[COUNT]]
module attributes {accel.batch = 2 : i64} {
  accel.parameter @w : tensor<16x16xf32> trainable
  func.func @forward(%ids: tensor<2x4xi64> {accel.name = "input_ids"}) -> (tensor<2x4x16xf32> {accel.name = "logits"}) {
    %w = accel.read @w : tensor<16x16xf32>
    %y = accel.gather %w, %ids : tensor<16x16xf32>, tensor<2x4xi64> -> tensor<2x4x16xf32>
    return %y : tensor<2x4x16xf32>
  }
}

//--- masked.mlir
// Beside tokens there may be a mask and positions: tokens are what has as many values as there are logits.
// CHECK: accel.objective = {kind = "causal-lm", output = "logits", tokens = "ids"}
module attributes {accel.batch = 2 : i64} {
  accel.parameter @w : tensor<16x16xf32> trainable
  func.func @forward(%mask: tensor<2x4xi64> {accel.name = "mask"}, %places: tensor<2x4xi64> {accel.name = "places", accel.range = [0, 7]}, %ids: tensor<2x4xi64> {accel.name = "ids", accel.range = [0, 15]}) -> (tensor<2x4x16xf32> {accel.name = "logits"}) {
    %w = accel.read @w : tensor<16x16xf32>
    %y = accel.gather %w, %ids : tensor<16x16xf32>, tensor<2x4xi64> -> tensor<2x4x16xf32>
    return %y : tensor<2x4x16xf32>
  }
}

//--- classes.mlir
// Logits (b, c): a classifier; its other output is not needed.
// CHECK: accel.objective = {kind = "classification", output = "logits"}
// CHECK-LABEL: func @microbatch
// CHECK-SAME: %[[LABELS:[^: ]+]]: tensor<4xi64> {{{.*}}accel.range = [0, 2], accel.target})
// CHECK: accel.softmax_cross_entropy %{{.+}}, %[[LABELS]]

// The labels have the type of the output, every element is a target.
// MSE: accel.objective = {kind = "mse", output = "logits"}
// MSE-LABEL: func @microbatch
// MSE-SAME: %[[LABELS:[^: ]+]]: tensor<4x3xf32> {accel.name = "labels", accel.target})
// MSE: %[[WEIGHTS:.+]] = accel.input "sample_weights"
// MSE: %[[DIFFERENCE:.+]] = accel.sub %{{.+}}, %[[LABELS]]
// MSE: %[[SQUARE:.+]] = accel.mul %[[DIFFERENCE]], %[[DIFFERENCE]]
// MSE: %[[SPREAD:.+]] = accel.broadcast %[[WEIGHTS]] [0]
// MSE: %[[LOSSES:.+]] = accel.mul %[[SQUARE]], %[[SPREAD]]
// MSE: %[[SAMPLES:.+]] = accel.reduce_sum %{{.+}} [0] : tensor<4xf64> -> tensor<f64>
// MSE: %[[THREE:.+]] = accel.constant dense<3.0{{.*}}> : tensor<f64>
// MSE: %[[COUNT:.+]] = accel.mul %[[SAMPLES]], %[[THREE]]
// MSE: return %[[LOSSES]], %{{.+}}, %[[COUNT]]

// The output is the loss; there are no labels, and samples are counted.
// OUTPUT: accel.objective = {kind = "output", output = "score"}
// OUTPUT-LABEL: func @microbatch
// OUTPUT-NOT: labels
// OUTPUT: %[[SCORE:.+]] = accel.reduce_sum
// OUTPUT: %[[WEIGHTS:.+]] = accel.input "sample_weights"
// OUTPUT: %[[LOSSES:.+]] = accel.mul %[[SCORE]], %[[WEIGHTS]]
module attributes {accel.batch = 4 : i64} {
  accel.parameter @w : tensor<5x3xf32> trainable
  func.func @forward(%x: tensor<4x5xf32> {accel.name = "x"}) -> (tensor<4x3xf32> {accel.name = "logits"}, tensor<4xf32> {accel.name = "score"}) {
    %w = accel.read @w : tensor<5x3xf32>
    %y = accel.matmul %x, %w : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
    %s = accel.reduce_sum %y [1] : tensor<4x3xf32> -> tensor<4xf32>
    return %y, %s : tensor<4x3xf32>, tensor<4xf32>
  }
}

//--- mixed.mlir
// Samples that are centred around their mean: copies that fill a short microbatch would change the others, whatever the objective.
// CHECK: accel.objective = {{{.*}} whole_microbatches = "the model mixes the samples of a microbatch"}
module attributes {accel.batch = 4 : i64} {
  func.func @forward(%x: tensor<4x3xf32> {accel.name = "x"}) -> (tensor<4x3xf32> {accel.name = "logits"}) {
    // expected-remark@below {{the samples of a microbatch influence each other from here on, or are not known not to; a step takes whole microbatches only}}
    %sum = accel.reduce_sum %x [0] : tensor<4x3xf32> -> tensor<3xf32>
    %four = accel.constant dense<4.0> : tensor<3xf32>
    %mean = accel.div %sum, %four : tensor<3xf32>
    %wide = accel.broadcast %mean [1] : tensor<3xf32> -> tensor<4x3xf32>
    %y = accel.sub %x, %wide : tensor<4x3xf32>
    return %y : tensor<4x3xf32>
  }
}

//--- alone.mlir
// One sample has nobody to be mixed with.
// CHECK-NOT: whole_microbatches
module attributes {accel.batch = 1 : i64} {
  func.func @forward(%x: tensor<1x3xf32> {accel.name = "x"}) -> (tensor<1x3xf32> {accel.name = "logits"}) {
    %sum = accel.reduce_sum %x [0] : tensor<1x3xf32> -> tensor<3xf32>
    %y = accel.reshape %sum : tensor<3xf32> -> tensor<1x3xf32>
    return %y : tensor<1x3xf32>
  }
}
