// RUN: accel-opt %s --accel-vectorize-rows --split-input-file | FileCheck %s

// A trip count that is a multiple of the lanes needs no tail.
// CHECK-LABEL: func.func @whole
// CHECK-SAME:    %{{.+}}: memref<?xf32>, %[[SIZE:.+]]: memref<?xf32>
// CHECK:         %[[END:.+]] = memref.dim
// CHECK:         scf.for %{{.+}} to %[[END]] step %c32
// CHECK:           arith.negf %{{.+}} : vector<32xf32>
// CHECK-NOT:     scf.if
// CHECK-NOT:     vector.maskedload
// CHECK:         return
func.func @whole(%x: memref<?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) attrs = {accel.divisor = 32 : i64} {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// The lanes of a sum stay what they are, and so does its tail.
// CHECK-LABEL: func.func @sum_of_whole
// CHECK:         scf.for %{{.+}} step %c64
// CHECK:         scf.if
// CHECK:           vector.maskedload {{.+}} vector<64xf32>
func.func @sum_of_whole(%x: memref<?xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<?xf32>) outs(%y : memref<f32>) attrs = {accel.divisor = 32 : i64} {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// A small divisor says nothing of use.
// CHECK-LABEL: func.func @in_fours
// CHECK:         scf.for %{{.+}} step %c64
// CHECK:         scf.if
// CHECK:           vector.maskedload {{.+}} vector<64xf32>
func.func @in_fours(%x: memref<?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) attrs = {accel.divisor = 4 : i64} {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// A function that is called has a form for eight lanes; where it is summed, too.
// CHECK-LABEL: func.func @calls
// CHECK:         scf.for %{{.+}} to %c96 step %c8
// CHECK:           func.call @twice.x8(%{{.+}}) : (vector<8xf32>) -> vector<8xf32>
// CHECK:         call @twice.x8
// CHECK:         call @twice(%{{.+}}) : (f32) -> f32
func.func private @twice(f32) -> f32
func.func private @twice.x8(vector<8xf32>) -> vector<8xf32>
func.func @calls(%x: memref<100xf32>, %y: memref<f32>, %one: memref<1xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<100xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = func.call @twice(%a) : (f32) -> f32
    %d = arith.addf %c, %b : f32
    linalg.yield %d : f32
  }
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%one : memref<1xf32>) {
  ^bb0(%b: f32):
    %c = func.call @twice(%b) : (f32) -> f32
    linalg.yield %c : f32
  }
  return
}

// -----

// Eight lanes divide 32, too.
// CHECK-LABEL: func.func @calls_of_whole
// CHECK:         scf.for %{{.+}} step %c8
// CHECK:           func.call @twice.x8
// CHECK-NOT:     scf.if
// CHECK:         return
func.func private @twice(f32) -> f32
func.func private @twice.x8(vector<8xf32>) -> vector<8xf32>
func.func @calls_of_whole(%x: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      outs(%x : memref<?xf32>) attrs = {accel.divisor = 32 : i64} {
  ^bb0(%b: f32):
    %c = func.call @twice(%b) : (f32) -> f32
    linalg.yield %c : f32
  }
  return
}
