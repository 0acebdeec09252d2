// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters, state and the parts of a step print as they are written, and parse again.
// RUN: accel-opt %s --verify-roundtrip | FileCheck %s

// CHECK: accel.parameter @transformer.wte.weight : tensor<256x64xf32> trainable {initial = {key = "wte", kind = "file"}}
accel.parameter @"transformer.wte.weight" : tensor<256x64xf32> trainable {initial = {kind = "file", key = "wte"}}
// CHECK: accel.parameter @normal : tensor<4xf32> trainable {initial = {deviation = 2.000000e-02 : f64, kind = "normal", mean = 0.000000e+00 : f64, site = 7 : i64}, offset = 16 : i64, segment = @block0.decayed.master}
accel.parameter @normal : tensor<4xf32> trainable {initial = {kind = "normal", mean = 0.0, deviation = 0.02, site = 7 : i64}, segment = @"block0.decayed.master", offset = 16 : i64}
// CHECK: accel.parameter @slow : tensor<4xf32> trainable {decays = true, lr_factor = 1.000000e-01 : f64, weight_decay = 5.000000e-02 : f64}
accel.parameter @slow : tensor<4xf32> trainable {lr_factor = 0.1 : f64, decays = true, weight_decay = 0.05 : f64}
// CHECK: accel.parameter @frozen : tensor<i64> {initial = {kind = "constant", value = 1.000000e+00 : f64}, provenance = {how = "merged"}}
accel.parameter @frozen : tensor<i64> {initial = {kind = "constant", value = 1.0}, provenance = {how = "merged"}}
// CHECK: accel.state @lr hyperparameter : tensor<f64> {initial = 1.000000e-03 : f64}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.001 : f64}
// CHECK: accel.state @step counter : tensor<f64>
accel.state @step counter : tensor<f64>
// CHECK: accel.state @loss_sum accumulator : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
// CHECK: accel.state @block0.decayed.master slot : tensor<4096xf32> {group = #accel.group<decayed>, segment = #accel.segment_ref<@block0 "decayed">, slot = #accel.slot<master>}
accel.state @"block0.decayed.master" slot : tensor<4096xf32> {segment = #accel.segment_ref<@block0 "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
// CHECK: accel.bucket @block0 {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 4096 elements of @normal>]}
accel.bucket @block0 {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 4096 elements of @normal>]}

// CHECK-LABEL: func.func @step_function
func.func @step_function(%loss: tensor<f64>, %delta: tensor<4xf32>) {
  // CHECK: accel.read @transformer.wte.weight : tensor<256x64xf32>
  %w = accel.read @"transformer.wte.weight" : tensor<256x64xf32>
  // CHECK: accel.write @lr, %{{.+}} : tensor<f64>
  accel.write @lr, %loss : tensor<f64>
  // CHECK: accel.repeat {
  accel.repeat {
    // CHECK: accel.input "input_ids" : tensor<4x64xi64>
    %ids = accel.input "input_ids" : tensor<4x64xi64>
    // CHECK: accel.input "sample_indices" : tensor<4xi64>
    %samples = accel.input "sample_indices" : tensor<4xi64>
    // CHECK: accel.input "sample_weights" : tensor<4xf32>
    %weights = accel.input "sample_weights" : tensor<4xf32>
    // CHECK: accel.input "iterations_behind" : tensor<f32>
    %behind = accel.input "iterations_behind" : tensor<f32>
    // CHECK: accel.sum_over_ranks %{{.+}} : tensor<f32>
    %all = accel.sum_over_ranks %behind : tensor<f32>
    // CHECK: accel.input "seed" : tensor<i64>
    %seed = accel.input "seed" : tensor<i64>
    // CHECK: accel.accumulate @normal, %{{.+}} : tensor<4xf32>
    accel.accumulate @normal, %delta : tensor<4xf32>
    // CHECK: accel.accumulate @loss_sum, %{{.+}} : tensor<f64>
    accel.accumulate @loss_sum, %loss : tensor<f64>
  }
  // CHECK: accel.gradient @normal : tensor<4xf32>
  %g = accel.gradient @normal : tensor<4xf32>
  // CHECK: accel.metric "loss", %{{.+}} : tensor<f64>
  accel.metric "loss", %loss : tensor<f64>
  // CHECK: accel.update %{{.+}} kind "adamw" : tensor<f64>
  accel.update %loss kind "adamw" : tensor<f64>
  // CHECK: accel.update %{{.+}} kind "sgd" : tensor<f64>
  accel.update %loss kind "sgd" : tensor<f64>
  return
}

// CHECK-LABEL: func.func @empty_round
func.func @empty_round() {
  // CHECK: accel.repeat {
  accel.repeat {
  }
  return
}

// CHECK: accel.state @compute accumulator : tensor<4xf8E4M3FN>
accel.state @compute accumulator : tensor<4xf8E4M3FN>
// CHECK: accel.state @scales accumulator : tensor<4xf8E8M0FNU> {initial = 1.000000e+00 : f64}
accel.state @scales accumulator : tensor<4xf8E8M0FNU> {initial = 1.0 : f64}

// CHECK-LABEL: func.func @small_floats
func.func @small_floats(%x: tensor<4xf8E4M3FN>) {
  // CHECK: accel.read @scales : tensor<4xf8E8M0FNU>
  %scales = accel.read @scales : tensor<4xf8E8M0FNU>
  // CHECK: accel.write @compute, %{{.+}} : tensor<4xf8E4M3FN>
  accel.write @compute, %x : tensor<4xf8E4M3FN>
  return
}

// Microbatches read these in another type than they are kept in; a read may ask for either.
// CHECK: accel.parameter @narrow : tensor<4xf32> trainable compute bf16{{$}}
accel.parameter @narrow : tensor<4xf32> trainable compute bf16
// CHECK: accel.parameter @half : tensor<4xf32> compute f16 {offset = 0 : i64, segment = @block0.frozen_as_f16.master}
accel.parameter @half : tensor<4xf32> compute f16 {segment = @"block0.frozen_as_f16.master", offset = 0 : i64}
// CHECK: accel.state @block0.frozen_as_f16.compute slot : tensor<128xf16> {group = #accel.group<frozen>, segment = #accel.segment_ref<@block0 "frozen_as_f16">, slot = #accel.slot<compute>}
accel.state @"block0.frozen_as_f16.compute" slot : tensor<128xf16> {segment = #accel.segment_ref<@block0 "frozen_as_f16">, slot = #accel.slot<compute>, group = #accel.group<frozen>}

// CHECK-LABEL: func.func @computed
func.func @computed() {
  // CHECK: accel.read @narrow : tensor<4xbf16>
  %low = accel.read @narrow : tensor<4xbf16>
  // CHECK: accel.read @narrow : tensor<4xf32>
  %wide = accel.read @narrow : tensor<4xf32>
  // CHECK: accel.read @half : tensor<4xf16>
  %half = accel.read @half : tensor<4xf16>
  return
}
