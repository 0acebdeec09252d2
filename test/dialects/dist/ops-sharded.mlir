// RUN: accel-opt %s --verify-roundtrip | FileCheck %s
// With one rank nothing changes, which is what the interpreter shows.
// RUN: accel-opt %s --run=step 2>&1 | FileCheck %s --check-prefix=VALUE

// CHECK: accel.state @b.s.master slot : tensor<128xf32> {{.*}}dist.held = #dist.held<part>
// CHECK: accel.state @b.s.gradient slot : tensor<128xf32> {{.*}}dist.held = #dist.held<whole>
accel.state @"b.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, initial = 2.5 : f64, dist.held = #dist.held<part>}
accel.state @"b.s.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, initial = 4.0 : f64, dist.held = #dist.held<whole>}

// CHECK-LABEL: func @step
// CHECK: dist.all_gather [@b.s.master] over ["fsdp"]
// CHECK: dist.reduce_scatter [@b.s.gradient] over ["replica", "fsdp"]
// VALUE: = 832
func.func @step() -> tensor<f32> {
  dist.all_gather [@"b.s.master"] over ["fsdp"]
  dist.reduce_scatter [@"b.s.gradient"] over ["replica", "fsdp"]
  %p = accel.read @"b.s.master" : tensor<128xf32>
  %g = accel.read @"b.s.gradient" : tensor<128xf32>
  %both = accel.add %p, %g : tensor<128xf32>
  %sum = accel.reduce_sum %both [0] : tensor<128xf32> -> tensor<f32>
  return %sum : tensor<f32>
}
