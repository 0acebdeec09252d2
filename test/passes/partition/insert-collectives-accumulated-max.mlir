// Where microbatches have found a maximum, ranks find the largest of all behind the loop, apart from the sums.
// RUN: accel-opt %s --accel-insert-collectives | FileCheck %s
// RUN: accel-opt %s --accel-insert-collectives --accel-verify-partition -o /dev/null
// RUN: accel-opt %s --accel-insert-collectives | sed 's/ by max//' | not accel-opt --accel-verify-partition 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: error: expected @delayed_amax to be the largest of all ranks, got another reduction
// RUN: accel-opt %s --accel-insert-collectives | sed '/all_reduce.*delayed_amax/d' | not accel-opt --accel-verify-partition 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected 'delayed_amax' to be the largest of all ranks behind the loop, got no dist.all_reduce that does

accel.state @delayed_amax accumulator_max : tensor<3xf32>
accel.state @loss_sum accumulator : tensor<f64>
// CHECK-LABEL: func.func @step
// CHECK: accel.write @delayed_amax
// CHECK: }
// CHECK-DAG: dist.all_reduce [@loss_sum] over ["replica", "fsdp"]{{$}}
// CHECK-DAG: dist.all_reduce [@delayed_amax] over ["replica", "fsdp"] by max
// CHECK: accel.read @delayed_amax
func.func @step() attributes {accel.role = #accel.role<step>} {
  %l = accel.constant dense<1.0> : tensor<f64>
  %none = accel.constant dense<0.0> : tensor<3xf32>
  accel.write @delayed_amax, %none : tensor<3xf32>
  accel.repeat {
    accel.accumulate @loss_sum, %l : tensor<f64>
    %x = accel.constant dense<1.0> : tensor<3xf32>
    %before = accel.read @delayed_amax : tensor<3xf32>
    %raised = accel.max %before, %x : tensor<3xf32>
    accel.write @delayed_amax, %raised : tensor<3xf32>
  }
  %y = accel.read @delayed_amax : tensor<3xf32>
  return
}
