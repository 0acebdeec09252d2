// RUN: accel-opt %s --accel-distribute-rows --split-input-file --verify-diagnostics
// RUN: not accel-opt %s --accel-distribute-rows=lanes=48 2>&1 | FileCheck %s
// CHECK: error: expected a power of two of at least 32 as lanes, got 48

func.func @used(%i: index) -> f32 {
  %row = memref.alloca() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%row : memref<64xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  }
  // expected-error @+1 {{expected a buffer of one call to be read and stored by the loops that warps execute, got another use of it}}
  %a = memref.load %row[%i] : memref<64xf32>
  return %a : f32
}

// -----

func.func @two(%x: memref<4x4xf32>) {
  // expected-error @+1 {{expected one loop over buffers}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<4x4xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  }
  return
}
