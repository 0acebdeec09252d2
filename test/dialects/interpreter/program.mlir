// RUN: split-file %s %t
// RUN: accel-opt --run=step --run-microbatches=3 --run-seed=7 %t/step.mlir | FileCheck %t/step.mlir
// RUN: accel-opt --run=step --run-microbatches=2 --run-inputs=%t/inputs.txt %t/step.mlir | FileCheck %t/step.mlir --check-prefix=GIVEN
// RUN: accel-opt --run=init --run-seed=7 %t/step.mlir | FileCheck %t/step.mlir --check-prefix=INIT
// RUN: accel-opt --run=step %t/segments.mlir | FileCheck %t/segments.mlir
// RUN: accel-opt --canonicalize --run=f --run-print-limit=2 %t/summary.mlir -o %t/summary.txt
// RUN: FileCheck %t/summary.mlir --input-file=%t/summary.txt

//--- step.mlir
// A step accumulates over its microbatches; built-in inputs count samples and give the seed.
// CHECK: metric "seed" = 7
// CHECK: metric "seed" = 7
// CHECK: metric "seed" = 7
// CHECK: metric "samples" = 15
// CHECK: metric "weights" = 6
// CHECK-NEXT: gradient @w: tensor<2xf64> = [15, 15]
// CHECK-NEXT: state @sum: tensor<f64> = 15
// CHECK-NOT: unchanged
accel.parameter @w : tensor<2xf64> trainable {initial = {kind = "constant", value = 2.0}}
accel.parameter @normal : tensor<2xf64> trainable {initial = {kind = "normal", mean = 1.0, deviation = 0.0, site = 1 : i64}}
accel.state @sum accumulator : tensor<f64>
accel.state @weights accumulator : tensor<f64>
accel.state @unchanged counter : tensor<f64> {initial = 3.0 : f64}
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %seed = accel.input "seed" : tensor<i64>
    %s = accel.cast %seed : tensor<i64> -> tensor<f64>
    accel.metric "seed", %s : tensor<f64>
    %samples = accel.input "sample_indices" : tensor<2xi64>
    %x = accel.cast %samples : tensor<2xi64> -> tensor<2xf64>
    %total = accel.reduce_sum %x [0] : tensor<2xf64> -> tensor<f64>
    accel.accumulate @sum, %total : tensor<f64>
    %part = func.call @spread(%total) : (tensor<f64>) -> tensor<2xf64>
    accel.accumulate @w, %part : tensor<2xf64>
    %given = accel.input "sample_weights" : tensor<2xf32>
    %some = accel.reduce_sum %given [0] : tensor<2xf32> -> tensor<f32>
    %weight = accel.cast %some : tensor<f32> -> tensor<f64>
    accel.accumulate @weights, %weight : tensor<f64>
  }
  %sum = accel.read @sum : tensor<f64>
  accel.metric "samples", %sum : tensor<f64>
  %weights = accel.read @weights : tensor<f64>
  accel.metric "weights", %weights : tensor<f64>
  return
}
func.func private @spread(%x: tensor<f64>) -> tensor<2xf64> {
  %y = accel.broadcast %x [] : tensor<f64> -> tensor<2xf64>
  return %y : tensor<2xf64>
}
// A file gives inputs per microbatch or for all, and symbols.
// GIVEN: metric "samples" = 130
// GIVEN: metric "weights" = 2
// GIVEN-NEXT: gradient @w: tensor<2xf64> = [30, 30]
// GIVEN-NEXT: state @sum: tensor<f64> = 130

// INIT: parameter @w: tensor<2xf64> = [4, 4]
// INIT-NEXT: parameter @normal: tensor<2xf64> = [1, 1]
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %w = accel.read @w : tensor<2xf64>
  %g = accel.gradient @w : tensor<2xf64>
  %x = accel.add %w, %g : tensor<2xf64>
  %y = accel.add %x, %w : tensor<2xf64>
  accel.write @w, %y : tensor<2xf64>
  %n = accel.read @normal : tensor<2xf64>
  accel.write @normal, %n : tensor<2xf64>
  return
}

//--- inputs.txt
{sample_indices = [dense<[1, 2]> : tensor<2xi64>, dense<[13, 14]> : tensor<2xi64>],
 sample_weights = dense<[1.0, 0.0]> : tensor<2xf32>,
 sum = dense<100.0> : tensor<f64>}

//--- segments.mlir
// A parameter in a segment is a part of the master slot, its gradient a part of the gradient slot.
// CHECK: parameter @b: tensor<2xf64> = [6, 7]
// CHECK: gradient @b: tensor<2xf64> = [1, 1]
// CHECK: state @s.master: tensor<8xf64> = [0, 1, 2, 3, 6, 7, 6, 7]
// CHECK: state @s.gradient: tensor<8xf64> = [0, 0, 0, 0, 1, 1, 0, 0]
accel.bucket @s {granule = 128 : i64, segments = [#accel.segment<"x" group undecayed, 8 elements of @a, @b>]}
accel.parameter @a : tensor<3xf64> trainable {segment = @s.master, offset = 0 : i64}
accel.parameter @b : tensor<2xf64> trainable {segment = @s.master, offset = 4 : i64}
accel.state @s.master slot : tensor<8xf64> {segment = #accel.segment_ref<@s "x">, slot = #accel.slot<master>, group = #accel.group<undecayed>}
accel.state @s.gradient slot : tensor<8xf64> {segment = #accel.segment_ref<@s "x">, slot = #accel.slot<gradient>, group = #accel.group<undecayed>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %master = accel.iota 0 : tensor<8xf64>
  accel.write @s.master, %master : tensor<8xf64>
  %b = accel.read @b : tensor<2xf64>
  %g = accel.constant dense<1.0> : tensor<2xf64>
  accel.accumulate @b, %g : tensor<2xf64>
  %two = accel.constant dense<2.0> : tensor<2xf64>
  %sum = accel.add %b, %two : tensor<2xf64>
  accel.write @b, %sum : tensor<2xf64>
  return
}

//--- summary.mlir
// Passes run before the function; long tensors are summed up.
// CHECK: result #0: tensor<2x2xf32> = 4 elements, sum -2, norm 5.47723, min -4, max 3
func.func @f() -> tensor<2x2xf32> {
  %0 = accel.constant dense<[[1.0, -2.0], [3.0, -4.0]]> : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
