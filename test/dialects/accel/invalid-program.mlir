// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each numbered constraint of the operations of a step, violated.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

func.func @read_c1() {
  // expected-error@below {{'accel.read' op expected @missing to name an accel.parameter or accel.state of the module, got no such symbol}}
  %w = accel.read @missing : tensor<4xf32>
  return
}

// -----

// expected-note@below {{declared here}}
func.func private @f()
func.func @read_c1_function() {
  // expected-error@below {{'accel.read' op expected @f to name an accel.parameter or accel.state, got another symbol}}
  %w = accel.read @f : tensor<4xf32>
  return
}

// -----

// expected-note@below {{declared here}}
accel.parameter @w : tensor<4xf32>
func.func @read_c1_type() {
  // expected-error@below {{'accel.read' op expected the type of @w, 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %w = accel.read @w : tensor<5xf32>
  return
}

// -----

// expected-note@below {{declared here}}
accel.parameter @w : tensor<4xf32> compute bf16
func.func @read_c1_compute() {
  // expected-error@below {{'accel.read' op expected the type of @w, 'tensor<4xf32>', or that of its `compute`, 'tensor<4xbf16>', got 'tensor<4xf16>'}}
  %w = accel.read @w : tensor<4xf16>
  return
}

// -----

// expected-note@below {{declared here}}
accel.parameter @w : tensor<4xf32> compute bf16
func.func @read_c1_compute_shape() {
  // expected-error@below {{'accel.read' op expected the type of @w, 'tensor<4xf32>', or that of its `compute`, 'tensor<4xbf16>', got 'tensor<5xbf16>'}}
  %w = accel.read @w : tensor<5xbf16>
  return
}

// -----

// Without compute there is nothing narrower to read.
// expected-note@below {{declared here}}
accel.parameter @w : tensor<4xf32>
func.func @read_c1_no_compute() {
  // expected-error@below {{'accel.read' op expected the type of @w, 'tensor<4xf32>', got 'tensor<4xbf16>'}}
  %w = accel.read @w : tensor<4xbf16>
  return
}

// -----

// What is written is the parameter, and what is rounded of it follows.
// expected-note@below {{declared here}}
accel.parameter @w : tensor<4xf32> compute bf16
func.func @write_c1_compute(%x: tensor<4xbf16>) {
  // expected-error@below {{'accel.write' op expected the type of @w, 'tensor<4xf32>', got 'tensor<4xbf16>'}}
  accel.write @w, %x : tensor<4xbf16>
  return
}

// -----

func.func @write_c1(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.write' op expected @missing to name an accel.parameter or accel.state of the module, got no such symbol}}
  accel.write @missing, %x : tensor<4xf32>
  return
}

// -----

// expected-note@below {{declared here}}
accel.state @lr hyperparameter : tensor<f64>
func.func @write_c1_type(%x: tensor<f32>) {
  // expected-error@below {{'accel.write' op expected the type of @lr, 'tensor<f64>', got 'tensor<f32>'}}
  accel.write @lr, %x : tensor<f32>
  return
}

// -----

// expected-note@below {{declared here}}
accel.parameter @frozen : tensor<4xf32>
func.func @accumulate_c1(%x: tensor<4xf32>) {
  // expected-error@below {{'accel.accumulate' op expected @frozen to name an accel.parameter that is trainable or a statistic, or an accel.state, got another symbol}}
  accel.accumulate @frozen, %x : tensor<4xf32>
  return
}

// -----

// expected-note@below {{declared here}}
accel.state @loss_sum accumulator : tensor<f64>
func.func @accumulate_c1_type(%x: tensor<f32>) {
  // expected-error@below {{'accel.accumulate' op expected the type of @loss_sum, 'tensor<f64>', got 'tensor<f32>'}}
  accel.accumulate @loss_sum, %x : tensor<f32>
  return
}

// -----

// expected-note@below {{declared here}}
accel.state @lr hyperparameter : tensor<f64>
func.func @gradient_c1() {
  // expected-error@below {{'accel.gradient' op expected @lr to name a trainable accel.parameter, got another symbol}}
  %g = accel.gradient @lr : tensor<f64>
  return
}

// -----

// expected-note@below {{declared here}}
accel.parameter @w : tensor<4xf32> trainable
func.func @gradient_c1_type() {
  // expected-error@below {{'accel.gradient' op expected the type of @w, 'tensor<4xf32>', got 'tensor<4xf64>'}}
  %g = accel.gradient @w : tensor<4xf64>
  return
}

// -----

func.func @input_c1() {
  // expected-error@below {{'accel.input' op expected `result` of rank 0, got rank 1}}
  %x = accel.input "seed" : tensor<1xi64>
  return
}

// -----

func.func @input_c1_type() {
  // expected-error@below {{'accel.input' op expected `result` of element type 'f32', got 'i64'}}
  %x = accel.input "sample_weights" : tensor<4xi64>
  return
}

// -----

func.func @input_c1_iterations() {
  // expected-error@below {{'accel.input' op expected `result` of rank 0, got rank 1}}
  %x = accel.input "iterations_behind" : tensor<4xf32>
  return
}

// -----

func.func @metric_c1(%x: tensor<1xf64>) {
  // expected-error@below {{'accel.metric' op expected `value` of rank 0, got rank 1}}
  accel.metric "loss", %x : tensor<1xf64>
  return
}

// -----

func.func @update_c1(%x: tensor<1xf64>) {
  // expected-error@below {{'accel.update' op expected `scale` of rank 0, got rank 1}}
  accel.update %x kind "sgd" : tensor<1xf64>
  return
}

// -----

func.func @update_c1_kind(%x: tensor<f64>) {
  // expected-error@below {{'accel.update' op expected `kind` to be adamw, sgd, lion or adamw8, got "adam"}}
  accel.update %x kind "adam" : tensor<f64>
  return
}

// -----

// expected-error@below {{'func.func' op expected accel.role to be an #accel.role, got "step"}}
func.func @role_text() attributes {accel.role = "step"} {
  return
}

// -----

// expected-error@below {{'func.func' op expected accel.role on a function with a body, got it here}}
func.func private @role_without_body() attributes {accel.role = #accel.role<step>}

// -----

// expected-error@below {{'builtin.module' op expected accel.role on a function with a body, got it here}}
module attributes {accel.role = #accel.role<evaluate>} {}
