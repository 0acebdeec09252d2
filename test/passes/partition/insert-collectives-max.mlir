// Where ranks have their own maxima, they find the largest of all behind the write, in a step and while they initialize.
// RUN: accel-opt %s --accel-insert-collectives | FileCheck %s
// RUN: accel-opt %s --accel-insert-collectives --accel-verify-partition -o /dev/null
// Without it, or by a sum, the verifier refuses.
// RUN: accel-opt %s --accel-insert-collectives | sed 's/ by max//' | not accel-opt --accel-verify-partition 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: error: expected @weight_amax to be the largest of all ranks, got another reduction
// RUN: accel-opt %s --accel-insert-collectives | sed '0,/ by max/s/ by max//' | not accel-opt --accel-verify-partition 2>&1 | FileCheck %s --check-prefix=INIT
// INIT: error: expected initialization to exchange what it has written in parts, along the axes of its ranks, got dist.all_reduce of @weight_amax
// RUN: accel-opt %s --accel-insert-collectives | sed '/all_reduce.*weight_amax/d' | not accel-opt --accel-verify-partition 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected 'weight_amax' to be the largest of all ranks behind the loop, got no dist.all_reduce that does
// RUN: accel-opt %s --accel-insert-collectives | sed '0,/all_reduce.*weight_amax/{/all_reduce.*weight_amax/d}' | not accel-opt --accel-verify-partition 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: error: expected 'weight_amax' to be the largest of all ranks behind this write, got no dist.all_reduce that does

accel.state @loss_sum accumulator : tensor<f64>
accel.state @weight_amax partial_max : tensor<3xf32>
// CHECK-LABEL: func.func @init
// CHECK: accel.write @weight_amax
// CHECK-NEXT: dist.all_reduce [@weight_amax] over ["replica", "fsdp"] by max
// CHECK-NEXT: accel.read @weight_amax
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %x = accel.constant dense<1.0> : tensor<3xf32>
  accel.write @weight_amax, %x : tensor<3xf32>
  %y = accel.read @weight_amax : tensor<3xf32>
  return
}
// CHECK-LABEL: func.func @step
// CHECK: accel.write @weight_amax
// CHECK-NEXT: dist.all_reduce [@weight_amax] over ["replica", "fsdp"] by max
// CHECK-NEXT: accel.read @weight_amax
func.func @step() attributes {accel.role = #accel.role<step>} {
  %l = accel.constant dense<1.0> : tensor<f64>
  accel.repeat {
    accel.accumulate @loss_sum, %l : tensor<f64>
  }
  %x = accel.constant dense<1.0> : tensor<3xf32>
  accel.write @weight_amax, %x : tensor<3xf32>
  %y = accel.read @weight_amax : tensor<3xf32>
  return
}
