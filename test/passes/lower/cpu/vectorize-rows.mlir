// RUN: accel-opt %s --accel-vectorize-rows --split-input-file | FileCheck %s
// RUN: accel-opt %s --accel-vectorize-rows=lanes=16 --split-input-file | FileCheck %s --check-prefix=NARROW

// Full vectors in a loop; the rest of 36 in one masked vector of 64.
// CHECK-LABEL: func.func @add
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c64 step %c64
// CHECK:           vector.load %{{.+}}[%[[J]]] : memref<100xf32>, vector<64xf32>
// CHECK:           arith.addf %{{.+}} : vector<64xf32>
// CHECK:           vector.store
// CHECK:         vector.create_mask %{{.+}} : vector<64xi1>
// CHECK:         vector.maskedload
// CHECK:         vector.maskedstore
// NARROW-LABEL: func.func @add
// NARROW:         scf.for %{{.+}} to %c96 step %c16
// NARROW:         vector.maskedload {{.+}} vector<16xi1>
func.func @add(%x: memref<100xf32>, %y: memref<100xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<100xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// Fewer elements than lanes: the next power of two of them.
// CHECK-LABEL: func.func @short
// CHECK-NOT:     scf.for
// CHECK:         vector.maskedload {{.+}} vector<32xf32>
func.func @short(%x: memref<20xf32>, %y: memref<20xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<20xf32>) outs(%y : memref<20xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// One element is scalar.
// CHECK-LABEL: func.func @single
// CHECK-NOT:     vector
// CHECK:         memref.load
// CHECK:         arith.negf %{{.+}} : f32
// CHECK:         memref.store
func.func @single(%x: memref<1xf32>, %y: memref<1xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<1xf32>) outs(%y : memref<1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// A sum: a lane takes every 64th element, the tail is selected, the lanes meet by halves.
// CHECK-LABEL: func.func @sum
// CHECK:         %[[LANES:.+]] = scf.for {{.+}} iter_args(%[[ACC:.+]] = %{{.+}}) -> (vector<64xf32>)
// CHECK:           arith.addf %[[ACC]]
// CHECK:         %[[MASK:.+]] = vector.create_mask
// CHECK:         %[[NEXT:.+]] = arith.addf %[[LANES]]
// CHECK:         %[[ALL:.+]] = arith.select %[[MASK]], %[[NEXT]], %[[LANES]]
// CHECK:         vector.extract_strided_slice %[[ALL]] {offsets = [0], sizes = [32], strides = [1]}
// CHECK:         vector.extract_strided_slice %[[ALL]] {offsets = [32], sizes = [32], strides = [1]}
// CHECK:         arith.addf %{{.+}} : vector<32xf32>
// CHECK:         arith.addf %{{.+}} : vector<1xf32>
func.func @sum(%x: memref<100xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<100xf32>) outs(%s : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// A length known at run time: the tail runs only if there is one. The index of an element counts in the width it is used in.
// CHECK-LABEL: func.func @indices
// CHECK:         scf.for
// CHECK:           arith.addi %{{.+}} : vector<64xi32>
// CHECK:         scf.if
// CHECK:           vector.maskedstore
func.func @indices(%y: memref<?xi32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%y : memref<?xi32>) {
  ^bb0(%b: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    linalg.yield %c : i32
  }
  return
}

// -----

// A tail of bytes goes through a buffer of one vector: not every target has masked access to bytes.
// CHECK-LABEL: func.func @bytes
// CHECK:         memref.alloca() : memref<16xi8>
// CHECK-NOT:     vector.maskedstore
// CHECK:         vector.store
// CHECK:         scf.for
// CHECK:           memref.store
func.func @bytes(%y: memref<9xi8>) {
  %c1 = arith.constant 1 : i8
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%y : memref<9xi8>) {
  ^bb0(%b: i8):
    linalg.yield %c1 : i8
  }
  return
}

// -----

// Doubles are computed on few lanes: a long formula on many would keep nothing in a register.
// CHECK-LABEL: func.func @doubles
// CHECK:         scf.for %{{.+}} to %c96 step %c8
// CHECK:           arith.addf %{{.+}} : vector<8xf64>
func.func @doubles(%x: memref<100xf32>, %y: memref<100xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<100xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.extf %a : f32 to f64
    %d = arith.addf %c, %c : f64
    %e = arith.truncf %d : f64 to f32
    linalg.yield %e : f32
  }
  return
}

// -----

// Not where lanes are summed: their number is part of the order of the sum.
// CHECK-LABEL: func.func @sum_of_doubles
// CHECK:         scf.for %{{.+}} to %c64 step %c64
// CHECK:           arith.addf %{{.+}} : vector<64xf64>
func.func @sum_of_doubles(%x: memref<100xf64>, %y: memref<f64>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<100xf64>) outs(%y : memref<f64>) {
  ^bb0(%a: f64, %b: f64):
    %c = arith.addf %a, %b : f64
    linalg.yield %c : f64
  }
  return
}

// -----

// What is the same for four neighbours is computed once for them, and integers that are the same for all elements once at
// all: neither makes vectors of one element per lane of what it meets.
// CHECK-LABEL: func.func @quarters
// CHECK:         scf.for
// CHECK:           %[[SITE:.+]] = arith.muli %{{.+}}, %{{.+}} : i32
// CHECK:           arith.shrui %{{.+}} : i32
// CHECK:           %[[BLOCK:.+]] = arith.addi %{{.+}} : vector<16xi32>
// CHECK:           %[[SITES:.+]] = vector.broadcast %[[SITE]] : i32 to vector<16xi32>
// CHECK:           arith.xori %[[BLOCK]], %[[SITES]] : vector<16xi32>
// CHECK:           vector.shuffle {{.+}} : vector<16xi32>, vector<16xi32>
// CHECK:           arith.addi %{{.+}} : vector<64xi32>
func.func @quarters(%first: i32, %site: i32, %y: memref<128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%y : memref<128xi32>) {
  ^bb0(%old: i32):
    %three = arith.constant 3 : i32
    %two = arith.constant 2 : i32
    %sites = arith.muli %site, %three : i32
    %j = linalg.index 0 : index
    %place = arith.index_cast %j : index to i32
    %at = arith.addi %first, %place : i32
    %block = arith.shrui %at, %two {accel.quarter} : i32
    %mixed = arith.xori %block, %sites : i32
    %sum = arith.addi %mixed, %old : i32
    linalg.yield %sum : i32
  }
  return
}
