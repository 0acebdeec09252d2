// RUN: accel-opt %s --accel-distribute-rows --split-input-file | FileCheck %s

// Four elements of a chunk of 128 for each thread: all are loaded before any is stored. The rest of 36: each if it is there, and none in
// the last two parts.
// CHECK-LABEL: func.func @add
// CHECK:         nvvm.bar.warp.sync
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c256 step %c128
// CHECK-COUNT-8:   memref.load
// CHECK-COUNT-4:   memref.store
// CHECK:         }
// CHECK-COUNT-2: scf.if
// CHECK-NOT:     scf.if
// CHECK:         nvvm.bar.warp.sync
func.func @add(%x: memref<292xf32>, %y: memref<292xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<292xf32>) outs(%y : memref<292xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// Sums of a thread by halves, then those of the warp: every thread has the total. Nothing that others see is stored, so nobody waits.
// CHECK-LABEL: func.func @sum
// CHECK-NOT:     nvvm.bar.warp.sync
// CHECK:         %[[SUMS:.+]]:4 = scf.for
// CHECK:         arith.addf %[[SUMS]]#0, %[[SUMS]]#2
// CHECK:         arith.addf %[[SUMS]]#1, %[[SUMS]]#3
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl.sync
// CHECK-NOT:     nvvm.bar.warp.sync
func.func @sum(%x: memref<256xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %total = memref.alloca() : memref<f32>
  memref.store %zero, %total[] : memref<f32>
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<256xf32>) outs(%total : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  %sum = memref.load %total[] : memref<f32>
  return %sum : f32
}

// -----

// A double is exchanged in two words.
// CHECK-LABEL: func.func @double
// CHECK-COUNT-10: nvvm.shfl.sync bfly
// CHECK-NOT:      nvvm.shfl.sync
func.func @double(%x: memref<128xf64>, %total: memref<f64>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<128xf64>) outs(%total : memref<f64>) {
  ^bb0(%a: f64, %b: f64):
    %c = arith.addf %b, %a : f64
    linalg.yield %c : f64
  }
  return
}

// -----

// What all threads have computed is stored by the first one, when all have loaded what they need.
// CHECK-LABEL: func.func @scalar
// CHECK:         %[[NEXT:.+]] = arith.addf
// CHECK:         nvvm.bar.warp.sync
// CHECK:         nvvm.read.ptx.sreg.laneid
// CHECK:         scf.if
// CHECK-NEXT:      memref.store %[[NEXT]]
// CHECK:         nvvm.bar.warp.sync
func.func @scalar(%x: memref<1xf32>) {
  %i = arith.constant 0 : index
  %a = memref.load %x[%i] : memref<1xf32>
  %b = arith.addf %a, %a : f32
  memref.store %b, %x[%i] : memref<1xf32>
  return
}

// -----

// Of a buffer of the call a thread keeps its own elements.
// CHECK-LABEL: func.func @own
// CHECK:         memref.alloca() : memref<2xf32>
// CHECK-NOT:     memref<64xf32>
func.func @own(%x: memref<64xf32, strided<[1]>>) {
  %row = memref.alloca() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32, strided<[1]>>) outs(%row : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
