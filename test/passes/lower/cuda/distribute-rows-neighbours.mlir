// RUN: accel-opt %s --accel-distribute-rows --split-input-file | FileCheck %s

// Buffers that begin at multiples of 16 bytes: thread t takes elements 4 t to 4 t + 3 of a chunk in one access. So it does of the rest, of which it
// has all four or none.
// CHECK-LABEL: func.func @add
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c256 step %c128
// CHECK:           %[[FOURS:.+]] = arith.muli %{{.+}}, %c4
// CHECK:           %[[AT:.+]] = arith.addi %[[J]], %[[FOURS]]
// CHECK:           vector.load %{{.+}}[%[[AT]]] {alignment = 16 : i64} : memref<292xf32>, vector<4xf32>
// CHECK:           vector.load {{.*}} {alignment = 16 : i64} : memref<292xf32>, vector<4xf32>
// CHECK-COUNT-4:   arith.addf
// CHECK:           vector.store {{.*}} {alignment = 16 : i64} : memref<292xf32>, vector<4xf32>
// CHECK:         }
// CHECK:         scf.if
// CHECK-COUNT-2:   vector.load
// CHECK:           vector.store
// CHECK-NOT:     scf.if
// CHECK-NOT:     memref.load
func.func @add(%x: memref<292xf32> {llvm.align = 16 : i64}, %y: memref<292xf32> {llvm.align = 16 : i64}) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<292xf32>) outs(%y : memref<292xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// Row r of rows whose lengths are multiples of four. An access of elements of 16 bits has 8 bytes, of 8 bits 4, of 64 bits 16.
// CHECK-LABEL: func.func @rows
// CHECK:         vector.load {{.*}} {alignment = 8 : i64} : {{.*}}, vector<4xi16>
// CHECK:         vector.load {{.*}} {alignment = 4 : i64} : {{.*}}, vector<4xi8>
// CHECK:         vector.store {{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xi64>
func.func @rows(%x: memref<7680xi16> {llvm.align = 16 : i64}, %y: memref<7680xi8> {llvm.align = 4 : i64}, %z: memref<7680xi64> {llvm.align = 16 : i64}, %r: index) {
  %columns = arith.constant 768 : index
  %first = arith.muli %r, %columns : index
  %xs = memref.subview %x[%first] [768] [1] : memref<7680xi16> to memref<768xi16, strided<[1], offset: ?>>
  %ys = memref.subview %y[%first] [768] [1] : memref<7680xi8> to memref<768xi8, strided<[1], offset: ?>>
  %zs = memref.subview %z[%first] [768] [1] : memref<7680xi64> to memref<768xi64, strided<[1], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%xs, %ys : memref<768xi16, strided<[1], offset: ?>>, memref<768xi8, strided<[1], offset: ?>>) outs(%zs : memref<768xi64, strided<[1], offset: ?>>) {
  ^bb0(%a: i16, %b: i8, %c: i64):
    %d = arith.extui %a : i16 to i64
    %e = arith.extui %b : i8 to i64
    %f = arith.addi %d, %e : i64
    linalg.yield %f : i64
  }
  return
}

// -----

// Rows whose lengths are not, nothing said of a buffer, a buffer that begins at any second element, a slice from an odd column on: each element by itself.
// CHECK-LABEL: func.func @odd
// CHECK-NOT:     vector.load
// CHECK-NOT:     vector.store
func.func @odd(%x: memref<7710xf32> {llvm.align = 16 : i64}, %y: memref<256xf32>, %z: memref<256xf32> {llvm.align = 8 : i64}, %out: memref<768xf32> {llvm.align = 16 : i64}, %r: index) {
  %columns = arith.constant 771 : index
  %first = arith.muli %r, %columns : index
  %xs = memref.subview %x[%first] [256] [1] : memref<7710xf32> to memref<256xf32, strided<[1], offset: ?>>
  %even = memref.subview %out[256] [256] [1] : memref<768xf32> to memref<256xf32, strided<[1], offset: 256>>
  %slice = memref.subview %out[3] [256] [1] : memref<768xf32> to memref<256xf32, strided<[1], offset: 3>>
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%xs : memref<256xf32, strided<[1], offset: ?>>) outs(%even : memref<256xf32, strided<[1], offset: 256>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%y : memref<256xf32>) outs(%even : memref<256xf32, strided<[1], offset: 256>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%z : memref<256xf32>) outs(%even : memref<256xf32, strided<[1], offset: 256>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%slice : memref<256xf32, strided<[1], offset: 3>>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  }
  return
}

// -----

// Of a rest of three a thread may have some: each of its elements is asked for, and the fourth is nobody's.
// CHECK-LABEL: func.func @rest
// CHECK:         scf.for
// CHECK:           vector.load
// CHECK:           vector.store
// CHECK:         }
// CHECK-COUNT-3: scf.if
// CHECK-NOT:     scf.if
// CHECK-NOT:     vector.load
func.func @rest(%x: memref<131xf32> {llvm.align = 16 : i64}) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%x : memref<131xf32>) {
  ^bb0(%b: f32):
    %c = arith.addf %b, %b : f32
    linalg.yield %c : f32
  }
  return
}
