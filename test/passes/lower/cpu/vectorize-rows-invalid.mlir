// RUN: accel-opt %s --accel-vectorize-rows --split-input-file --verify-diagnostics

func.func @two_loops(%y: memref<2x3xf32>) {
  // expected-error@below {{expected one loop over buffers}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<2x3xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  }
  return
}

// -----

func.func @three(%x: memref<?xf32>) {
  // expected-error@below {{expected accel.divisor to be a power of two, got 48}}
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      outs(%x : memref<?xf32>) attrs = {accel.divisor = 48 : i64} {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  }
  return
}

// -----

func.func @nothing(%x: memref<?xf32>) {
  // expected-error@below {{expected accel.divisor to be a power of two, got 0}}
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      outs(%x : memref<?xf32>) attrs = {accel.divisor = 0 : i64} {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  }
  return
}

// -----

func.func @reversed(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@below {{expected operands mapped by (j) -> (j) or (j) -> (), got affine_map<(d0) -> (-d0 + 3)>}}
  linalg.generic {indexing_maps = [affine_map<(j) -> (3 - j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @unknown_reduction(%x: memref<4xf32>, %y: memref<f32>) {
  // expected-error@below {{expected results mapped by (j) -> () to be sums, products, maxima or minima}}
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<4xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    linalg.yield %c : f32
  }
  return
}
