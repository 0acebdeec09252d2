// RUN: accel-opt %s --accel-assign-buffers | FileCheck %s

accel.bucket @b {granule = 64 : i64, segments = [#accel.segment<"s" group decayed, 256 elements of @w, @v>]}
accel.parameter @w : tensor<8x8xf32> trainable {segment = @"b.s.master", offset = 64 : i64}
accel.parameter @v : tensor<16xf32> trainable {segment = @"b.s.master", offset = 128 : i64}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @"b.s.gradient" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<gradient>, group = #accel.group<decayed>, plan.stored}

// Of a gradient that begins with what kernels store, what lies between the parameters is cleared once: nothing else may be
// there for the norm to see.
// CHECK-LABEL: func.func @init
// CHECK: %[[G:.+]] = plan.buffer persistent gradients "b.s.gradient" : memref<256xf32>
// CHECK-NEXT: %[[BEFORE:.+]] = plan.view %[[G]] at 0 : memref<256xf32> to memref<64xf32>
// CHECK-NEXT: %[[BEHIND:.+]] = plan.view %[[G]] at 144 : memref<256xf32> to memref<112xf32>
// CHECK-NEXT: plan.fill %[[BEFORE]] : memref<64xf32>
// CHECK-NEXT: plan.fill %[[BEHIND]] : memref<112xf32>
// CHECK-NEXT: return
func.func @init() attributes {accel.role = #accel.role<initialize>} {
  return
}

// CHECK-LABEL: func.func @step
// CHECK-NOT: plan.fill
// CHECK: plan.repeat
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
  }
  return
}
