// RUN: accel-opt %s --accel-distribute-rows --split-input-file | FileCheck %s

// Where threads have neighbours, the upper half of the elements is that of the threads 16 to 31. Two threads that exchange sums deal them out, so
// that of four sums two, one and then one are exchanged; the last two shuffles add those of the elements 2, 3 and 1 of a thread.
// CHECK-LABEL: func.func @sum
// CHECK:         %[[SUMS:.+]]:4 = scf.for
// CHECK:           vector.load
// CHECK:         %[[UPPER:.+]] = arith.cmpi eq
// CHECK:         %[[OWN:.+]] = arith.select %[[UPPER]], %[[SUMS]]#2, %[[SUMS]]#0
// CHECK:         %[[GIVEN:.+]] = arith.select %[[UPPER]], %[[SUMS]]#0, %[[SUMS]]#2
// CHECK:         %[[SIXTEEN:.+]] = arith.constant 16 : i32
// CHECK:         %[[GOT:.+]] = nvvm.shfl.sync  bfly %{{.+}}, %[[GIVEN]], %[[SIXTEEN]]
// CHECK:         arith.addf %[[OWN]], %[[GOT]]
// CHECK-COUNT-7: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl.sync
func.func @sum(%x: memref<256xf32> {llvm.align = 16 : i64}) -> f32 {
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

// In a row that is shorter than a chunk all threads have something to do if none takes neighbours.
// CHECK-LABEL: func.func @short
// CHECK-NOT:     vector.load
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl.sync
func.func @short(%x: memref<96xf32> {llvm.align = 16 : i64}, %total: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<96xf32>) outs(%total : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// Loops that leave elements in registers for each other take the same ones: neighbours if all may. A thread has room for two chunks.
// CHECK-LABEL: func.func @own
// CHECK:         memref.alloca() : memref<8xf32>
// CHECK-COUNT-2: vector.load
// CHECK-COUNT-2: vector.store
func.func @own(%x: memref<192xf32> {llvm.align = 16 : i64}) {
  %row = memref.alloca() : memref<192xf32>
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<192xf32>) outs(%row : memref<192xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%row : memref<192xf32>) outs(%x : memref<192xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func @own_odd
// CHECK-NOT:     vector.load
// CHECK-NOT:     vector.store
func.func @own_odd(%x: memref<192xf32> {llvm.align = 16 : i64}, %y: memref<192xf32> {llvm.align = 4 : i64}) {
  %row = memref.alloca() : memref<192xf32>
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<192xf32>) outs(%row : memref<192xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%row : memref<192xf32>) outs(%y : memref<192xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
