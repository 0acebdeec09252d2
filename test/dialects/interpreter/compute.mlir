// RUN: split-file %s %t
// RUN: accel-opt --run=f %t/parameter.mlir | FileCheck %t/parameter.mlir
// RUN: accel-opt --run=f %t/segment.mlir | FileCheck %t/segment.mlir

//--- parameter.mlir
// A parameter that is read in its compute type is rounded to it, and is what it is otherwise: 257 is no bf16.
// CHECK: result #0: tensor<2xbf16> = [256, 256]
// CHECK: result #1: tensor<2xf32> = [257, 257]
accel.parameter @w : tensor<2xf32> compute bf16 {initial = {kind = "constant", value = 257.0}}
func.func @f() -> (tensor<2xbf16>, tensor<2xf32>) {
  %low = accel.read @w : tensor<2xbf16>
  %wide = accel.read @w : tensor<2xf32>
  return %low, %wide : tensor<2xbf16>, tensor<2xf32>
}

//--- segment.mlir
// In a segment it has a slot of its own, which holds whatever was written there; a write of the parameter writes both.
// CHECK: result #0: tensor<2xbf16> = [5, 5]
// CHECK: result #1: tensor<2xf32> = [257, 257]
// CHECK: result #2: tensor<2xbf16> = [512, 512]
// CHECK: result #3: tensor<2xf32> = [513, 513]
accel.parameter @w : tensor<2xf32> compute bf16 {segment = @m.low.master, offset = 16 : i64}
accel.state @m.low.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<master>, group = #accel.group<frozen>}
accel.state @m.low.compute slot : tensor<128xbf16> {segment = #accel.segment_ref<@m "low">, slot = #accel.slot<compute>, group = #accel.group<frozen>}
func.func @f() -> (tensor<2xbf16>, tensor<2xf32>, tensor<2xbf16>, tensor<2xf32>) {
  %master = accel.constant dense<257.0> : tensor<128xf32>
  accel.write @m.low.master, %master : tensor<128xf32>
  %compute = accel.constant dense<5.0> : tensor<128xbf16>
  accel.write @m.low.compute, %compute : tensor<128xbf16>
  %0 = accel.read @w : tensor<2xbf16>
  %1 = accel.read @w : tensor<2xf32>
  %new = accel.constant dense<513.0> : tensor<2xf32>
  accel.write @w, %new : tensor<2xf32>
  %2 = accel.read @w : tensor<2xbf16>
  %3 = accel.read @w : tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xbf16>, tensor<2xf32>, tensor<2xbf16>, tensor<2xf32>
}
