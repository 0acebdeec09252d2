// RUN: accel-opt %s --accel-expand-math | FileCheck %s

// A product with one use and its sum or difference become one operation; a product with two uses does not.
// CHECK-LABEL: func.func @fused
// CHECK-SAME:    %[[A:[^:]+]]: f32, %[[B:[^:]+]]: f32, %[[C:[^:]+]]: f32
// CHECK:         math.fma %[[A]], %[[B]], %[[C]]
// CHECK:         %[[MINUS_C:.+]] = arith.negf %[[C]]
// CHECK:         math.fma %[[A]], %[[C]], %[[MINUS_C]]
// CHECK:         %[[MINUS_B:.+]] = arith.negf %[[B]]
// CHECK:         math.fma %[[MINUS_B]], %[[C]], %[[A]]
// CHECK:         %[[SQUARE:.+]] = arith.mulf %[[A]], %[[A]]
// CHECK:         arith.addf %[[SQUARE]], %[[C]]
func.func @fused(%a: f32, %b: f32, %c: f32) -> (f32, f32, f32, f32, f32) {
  %p = arith.mulf %a, %b : f32
  %0 = arith.addf %p, %c : f32
  %q = arith.mulf %a, %c : f32
  %1 = arith.subf %q, %c : f32
  %r = arith.mulf %b, %c : f32
  %2 = arith.subf %a, %r : f32
  %s = arith.mulf %a, %a : f32
  %3 = arith.addf %s, %c : f32
  return %0, %1, %2, %3, %s : f32, f32, f32, f32, f32
}

// Every function becomes arithmetic, on scalars and on vectors.
// CHECK-LABEL: func.func @functions
// CHECK-NOT:     math.{{exp|log|tanh|erf|sin|cos|powf}}
// CHECK:         return
func.func @functions(%x: vector<64xf32>, %y: f64, %z: f32) -> (vector<64xf32>, f64, f32) {
  %0 = math.exp %x : vector<64xf32>
  %1 = math.log %0 : vector<64xf32>
  %2 = math.tanh %1 : vector<64xf32>
  %3 = math.erf %2 : vector<64xf32>
  %4 = math.sin %3 : vector<64xf32>
  %5 = math.powf %4, %x : vector<64xf32>
  %6 = math.exp %y : f64
  %7 = math.log %6 : f64
  %8 = math.cos %7 : f64
  %9 = math.powf %8, %y : f64
  %11 = math.tanh %9 : f64
  %12 = math.erf %11 : f64
  %10 = math.exp %z : f32
  return %5, %12, %10 : vector<64xf32>, f64, f32
}

// A maximum keeps NaN, whichever operand it is.
// CHECK-LABEL: func.func @maximum
// CHECK-SAME:    %[[A:[^:]+]]: f32, %[[B:[^:]+]]: f32
// CHECK:         %[[IS_LARGER:.+]] = arith.cmpf ogt, %[[A]], %[[B]]
// CHECK:         %[[LARGER:.+]] = arith.select %[[IS_LARGER]], %[[A]], %[[B]]
// CHECK:         %[[IS_NAN:.+]] = arith.cmpf uno, %[[A]], %[[A]]
// CHECK:         arith.select %[[IS_NAN]], %[[A]], %[[LARGER]]
func.func @maximum(%a: f32, %b: f32) -> f32 {
  %0 = arith.maximumf %a, %b : f32
  return %0 : f32
}
