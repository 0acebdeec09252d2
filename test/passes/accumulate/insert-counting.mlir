// RUN: split-file %s %t
// RUN: accel-opt %t/counts.mlir --accel-insert-counting | FileCheck %t/counts.mlir
// RUN: accel-opt %t/none.mlir --accel-insert-counting | FileCheck %t/none.mlir

//--- counts.mlir
// A function of its own adds up samples and the count, and writes what each target stands for. The step reads that, and adds them up no more.
// CHECK: func.func @count() attributes {accel.role = #accel.role<count>} {
// CHECK-NOT: @loss_sum
// CHECK: accel.write @counted_samples
// CHECK: accel.write @counted_0
// CHECK: accel.repeat {
// CHECK-NOT: accel.input "x"
// CHECK: accel.accumulate @counted_samples
// CHECK: accel.accumulate @counted_0
// CHECK-NOT: @loss_sum
// CHECK: }
// CHECK: %[[SAMPLES:.+]] = accel.read @counted_samples
// CHECK: %[[COUNT:.+]] = accel.read @counted_0
// CHECK: %[[LEAST:.+]] = accel.constant dense<9.0949470177292824E-13>
// CHECK: %[[DIVISOR:.+]] = accel.max %[[COUNT]], %[[LEAST]]
// CHECK: %[[EACH:.+]] = accel.div %[[SAMPLES]], %[[DIVISOR]]
// CHECK: accel.write @samples_per_count_0, %[[EACH]]
// CHECK: return
// CHECK: func.func @step() attributes {accel.role = #accel.role<step>} {
// CHECK-NOT: counted
// CHECK: accel.input "x"
// CHECK: accel.read @samples_per_count_0
// CHECK: accel.accumulate @loss_sum
// CHECK-NOT: counted
// CHECK: accel.metric "loss"
module {
  accel.state @loss_sum accumulator : tensor<f64>
  accel.state @counted_samples accumulator : tensor<f64>
  accel.state @counted_0 accumulator : tensor<f64>
  accel.state @samples_per_count_0 counter : tensor<f64>
  func.func @step() attributes {accel.role = #accel.role<step>} {
    %zero = accel.constant dense<0.0> : tensor<f64>
    accel.write @loss_sum, %zero : tensor<f64>
    accel.write @counted_samples, %zero : tensor<f64>
    accel.write @counted_0, %zero : tensor<f64>
    accel.repeat {
      %x = accel.input "x" : tensor<4xf64>
      %mask = accel.input "mask" : tensor<4xf64>
      %count = accel.reduce_sum %mask [0] : tensor<4xf64> -> tensor<f64>
      %four = accel.constant dense<4.0> : tensor<f64>
      accel.accumulate @counted_samples, %four : tensor<f64>
      accel.accumulate @counted_0, %count : tensor<f64>
      %each = accel.read @samples_per_count_0 : tensor<f64>
      %sum = accel.reduce_sum %x [0] : tensor<4xf64> -> tensor<f64>
      %loss = accel.mul %sum, %each : tensor<f64>
      accel.accumulate @loss_sum, %loss : tensor<f64>
    }
    %loss = accel.read @loss_sum : tensor<f64>
    accel.metric "loss", %loss : tensor<f64>
    return
  }
}

//--- none.mlir
// A step that divides by nothing of the kind has no such function.
// CHECK-NOT: role<count>
module {
  accel.state @loss_sum accumulator : tensor<f64>
  func.func @step() attributes {accel.role = #accel.role<step>} {
    accel.repeat {
      %x = accel.input "x" : tensor<4xf64>
      %sum = accel.reduce_sum %x [0] : tensor<4xf64> -> tensor<f64>
      accel.accumulate @loss_sum, %sum : tensor<f64>
    }
    return
  }
}
