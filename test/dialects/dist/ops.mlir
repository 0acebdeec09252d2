// RUN: accel-opt %s | accel-opt | FileCheck %s
// What a rank adds up for itself is summed over the data axes; the interpreter is the only rank and changes nothing.
// RUN: accel-opt %s --run=step 2>&1 | FileCheck %s --check-prefix=VALUE

accel.state @loss_sum accumulator : tensor<f64> {initial = 2.5 : f64}
accel.state @count accumulator : tensor<f64> {initial = 4.0 : f64}

// CHECK-LABEL: func @step
// CHECK: dist.all_reduce [@loss_sum, @count] over ["replica", "fsdp"]
// VALUE: 6.5
func.func @step() -> tensor<f64> {
  dist.all_reduce [@loss_sum, @count] over ["replica", "fsdp"]
  %loss = accel.read @loss_sum : tensor<f64>
  %count = accel.read @count : tensor<f64>
  %sum = accel.add %loss, %count : tensor<f64>
  return %sum : tensor<f64>
}

// A value of a microbatch, which has a place in the program instead of a name.
// RUN: accel-opt %s --run=value 2>&1 | FileCheck %s --check-prefix=ALONE
// CHECK-LABEL: func @value
// CHECK: dist.all_reduce_value %{{.+}} over ["replica", "fsdp"] : tensor<2xf32>
// ALONE: [1.5, 2.5]
func.func @value() -> tensor<2xf32> {
  %own = accel.constant dense<[1.5, 2.5]> : tensor<2xf32>
  %all = dist.all_reduce_value %own over ["replica", "fsdp"] : tensor<2xf32>
  return %all : tensor<2xf32>
}
